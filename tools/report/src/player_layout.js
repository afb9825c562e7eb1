// Where everything stands: one row an actor, groups one below another; one column a slot. Pure: no page.

const kRowGap = 2;
const kGroupGap = 12;
const kLeastBand = 5;
const kMostBands = 64;
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

  // How many bands a slot so high is cut into; fewer than atoms where they would be too thin.
  bandCount(height, atoms) {
    return Math.max(1, Math.min(atoms.length, Math.floor(height / kLeastBand)));
  }

  // Bands of a slot, or of half a slot: what it holds, cut from top to bottom; each stands for its `atoms`.
  bands(slot, atoms) {
    const count = this.bandCount(slot.h, atoms);
    const h = slot.h / count;
    return Array.from({ length: count }, (_, i) => ({
      atoms: atoms.slice(this.edge(atoms, i, count), this.edge(atoms, i + 1, count)),
      x: slot.x,
      y: slot.y + i * h,
      w: slot.w,
      h: this.bandHeight(h, count),
    }));
  }

  edge(atoms, i, count) {
    return Math.floor((i * atoms.length) / count);
  }

  bandHeight(h, count) {
    return count > 1 ? h - Math.min(1, h * 0.15) : h;
  }

  // 1 by atom whose changes are to be seen: of sums the first of every band.
  drawnAtoms() {
    const drawn = new Uint8Array(this.state.atoms);
    if (!this.state.sums) return drawn.fill(1);
    for (const atoms of this.atomsIn) {
      const count = atoms ? this.bandCount(this.rowHeight, atoms) : 0;
      for (let i = 0; i < count; i += 1) drawn[atoms[this.edge(atoms, i, count)]] = 1;
    }
    return drawn;
  }

  // Where a token to an actor ends, as a number below `places`: column and band.
  get places() {
    return (this.columns + 1) * kMostBands;
  }
  placeOf(actor, atom) {
    const { pieces } = this.state.player.slots;
    const bands = Math.max(1, Math.min(pieces, kMostBands, Math.floor(this.rowHeight / kLeastBand)));
    const band = Math.floor((this.state.player.atoms.piece[atom] * bands) / pieces);
    return (this.columnOf(actor, atom) + 1) * kMostBands + band;
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

  // A message's token, smaller than what it comes from: its size, and its corner at either end of the way.
  token(from, to) {
    const width = Math.min(from.w, to.w) * (this.state.sums ? 0.9 : 0.7);
    const height = Math.min(from.h, to.h) * 0.75;
    const w = Math.max(2, Math.min(width, this.state.sums ? 90 : 36));
    const h = Math.max(2, Math.min(height, 18));
    const corner = (spot) => ({ x: spot.x + (spot.w - w) / 2, y: spot.y + (spot.h - h) / 2 });
    return { w, h, from: corner(from), to: corner(to) };
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
