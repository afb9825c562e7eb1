// Where everything stands: one row an actor, groups one below another; one column a slot. Pure: no page.

const kRowGap = 2;
const kGroupGap = 12;
const kNone = [];

const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

export class Layout {
  constructor(state, width) {
    this.state = state;
    const { slots, actors, groups } = state.player;
    this.kind = slots.kind;
    this.columns = slots.count;
    this.byOwner = this.kind === 'block' || this.kind === 'array'; // columns mean another thing on every chip
    this.passes = this.byOwner && this.anyPasses();
    this.rows = groups.flatMap((chips, group) => [
      ...chips,
      ...actors.flatMap((actor, i) => (!actor.chip && actor.group === group ? [i] : [])),
    ]);
    this.atomsIn = this.listAtoms();
    this.size(width);
  }

  size(width) {
    const { actors, slots } = this.state.player;
    const longest = Math.max(...actors.map(({ name }) => name.length));
    this.labelWidth = Math.ceil(Math.min(longest * 7 + 12, width * 0.26));
    this.passWidth = this.passes ? clamp(width * 0.14, 34, 150) : 0;
    const space = width - this.labelWidth - this.passWidth - 4;
    this.columnWidth = clamp(space / this.columns, 3, this.kind === 'array' ? 260 : 200);
    if (this.columnWidth > 8) this.columnWidth = Math.floor(this.columnWidth);
    const perRow = clamp(680 / this.rows.length, 10, 50);
    const forBands = Math.min(slots.pieces * 13, 80, 760 / this.rows.length);
    this.rowHeight = Math.floor(Math.max(perRow, forBands));
    this.headerHeight = 24;
    let y = this.headerHeight;
    this.yOf = new Float64Array(actors.length);
    let last = -1;
    for (const actor of this.rows) {
      const { group } = actors[actor];
      if (last >= 0 && group !== last) y += kGroupGap;
      last = group;
      this.yOf[actor] = y;
      y += this.rowHeight + kRowGap;
    }
    this.width = Math.ceil(this.labelWidth + this.columns * this.columnWidth + this.passWidth + 4);
    this.height = Math.ceil(y + 2);
    this.gap = this.columnWidth > 14 ? 2 : this.columnWidth > 5 ? 1 : 0;
  }

  // Does anything go over chips that it is neither from nor for?
  anyPasses() {
    const { to } = this.state.player.messages;
    return to.some((actor, m) => this.state.atomsOf(m).some((atom) => this.columnOf(actor, atom) < 0));
  }

  // Which column of the actor the atom is shown in; -1: it only passes.
  columnOf(actor, atom) {
    const { origin, shard } = this.state.player.atoms;
    if (!this.byOwner) return shard[atom];
    const position = this.state.positionOf[actor];
    if (this.kind === 'block')
      return position === origin[atom] ? shard[atom] : position === shard[atom] ? origin[atom] : -1;
    return position === origin[atom] ? 0 : this.state.wanted(actor, atom) ? 1 : -1;
  }

  // Atoms by column; of blocks by origin and column, of arrays by origin.
  listAtoms() {
    const { origin, shard } = this.state.player.atoms;
    const n = this.state.groupSize;
    const lists = [];
    for (let atom = 0; atom < shard.length; atom += 1) {
      const key = this.kind === 'block' ? origin[atom] * n + shard[atom] : shard[atom];
      (lists[key] ??= []).push(atom);
    }
    return lists;
  }

  // What a column of an actor may hold: {own, got}; only blocks leave their place to another.
  atomsAt(actor, column) {
    const position = this.state.positionOf[actor];
    const find = (key) => this.atomsIn[key] ?? kNone;
    const n = this.state.groupSize;
    if (this.kind === 'block') {
      if (position < 0) return { own: kNone, got: kNone };
      return { own: column === position ? kNone : find(position * n + column), got: find(column * n + position) };
    }
    if (this.kind === 'array') {
      const of = column === 0 ? position : this.state.sourceOf.get(position);
      return { own: kNone, got: column === 1 && of === position ? kNone : find(of) };
    }
    return { own: kNone, got: find(column) };
  }

  slot(actor, column) {
    return {
      x: this.labelWidth + column * this.columnWidth,
      y: this.yOf[actor],
      w: this.columnWidth - this.gap,
      h: this.rowHeight,
    };
  }

  passing(actor) {
    return {
      x: this.labelWidth + this.columns * this.columnWidth + 6,
      y: this.yOf[actor],
      w: this.passWidth - 8,
      h: this.rowHeight,
    };
  }

  // Bands of a slot: what it holds, cut from top to bottom; fewer than atoms where they would be too thin.
  bands(slot, atoms) {
    const count = Math.max(1, Math.min(atoms.length, Math.floor(slot.h / 5)));
    const h = slot.h / count;
    return Array.from({ length: count }, (_, i) => ({
      atom: atoms[Math.floor((i * atoms.length) / count)],
      x: slot.x,
      y: slot.y + i * h,
      w: slot.w,
      h: count > 1 ? h - Math.min(1, h * 0.15) : h,
    }));
  }

  // Where an atom is on an actor, as a spot that a message flies from or to.
  spot(actor, atom) {
    const column = this.columnOf(actor, atom);
    if (column < 0) {
      const { x, y, w, h } = this.passing(actor);
      return { x, y: y + h * 0.2, w: Math.min(w, 14), h: h * 0.6 };
    }
    const slot = this.slot(actor, column);
    const { pieces } = this.state.player.slots;
    if (pieces < 2) return slot;
    const h = slot.h / pieces;
    return { ...slot, y: slot.y + this.state.player.atoms.piece[atom] * h, h: Math.max(h, 2) };
  }

  // A message's token, `share` of the way from one spot to another: smaller than what it comes from.
  token(from, to, share) {
    const middle = (key, size) =>
      from[key] + from[size] / 2 + (to[key] + to[size] / 2 - from[key] - from[size] / 2) * share;
    const w = Math.min(from.w, to.w) * (this.state.sums ? 0.9 : 0.7);
    const h = Math.min(from.h, to.h) * 0.75;
    const box = { w: Math.max(2, Math.min(w, this.state.sums ? 90 : 36)), h: Math.max(2, Math.min(h, 18)) };
    return { ...box, x: middle('x', 'w') - box.w / 2, y: middle('y', 'h') - box.h / 2 };
  }

  // {actor, column}, column -1 of what passes; null outside.
  hit(x, y) {
    const actor = this.rows.find((row) => y >= this.yOf[row] - 1 && y < this.yOf[row] + this.rowHeight + 1);
    if (actor === undefined || x < this.labelWidth) return null;
    const column = Math.floor((x - this.labelWidth) / this.columnWidth);
    if (column < this.columns) return { actor, column };
    return this.passes ? { actor, column: -1 } : null;
  }
}
