// Draws cells. Below: what every chip holds, slot by slot where it changes. Above: what moves and is pointed out,
// anew every frame, as much work as there are messages under way. Where letters would not fit in cells, both are
// drawn as pixels (player_small.js).
import { letter } from './player_text.js';
import { positionColors } from './player_colors.js';
import { Names } from './player_names.js';
import { Small } from './player_small.js';
import { variable } from './theme.js';

const kPale = 0.26;

function sized(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.textBaseline = 'middle';
  return context;
}

export class Painter {
  constructor(state, layout, below, above) {
    Object.assign(this, { state, layout, below, above });
    this.passing = state.player.actors.map(() => new Set());
    this.names = new Names(state);
    this.marked = new Uint8Array(state.player.actors.length * layout.columns); // slots to paint
    this.resize();
  }

  resize() {
    const { layout } = this;
    this.context = sized(this.below, layout.width, layout.height);
    this.top = sized(this.above, layout.width, layout.height);
    this.drawn = layout.drawnAtoms();
    this.theme();
  }

  theme() {
    this.colors = positionColors(this.state.groupSize);
    for (const name of ['text', 'faint', 'line', 'page', 'panel', 'accent', 'bad']) this[name] = variable(name);
    this.font = variable('font') || 'sans-serif';
    this.names.measure(this.context, this.font);
    this.small = this.lettersFit() ? null : new Small(this, window.devicePixelRatio || 1);
    this.all();
  }

  // In the bands, or the stripes, of a full slot.
  lettersFit() {
    const { layout, state } = this;
    const slot = layout.slot(layout.rows[0], 0);
    const most = Math.max(...layout.atomsIn.map((atoms) => atoms.length));
    const count = layout.bandCount(slot.h, { length: most });
    const w = state.sums ? slot.w / state.groupSize : slot.w;
    return this.names.size(w, layout.bandHeight(slot.h / count, count)) > 0;
  }

  all() {
    const { layout, state, context } = this;
    context.clearRect(0, 0, layout.width, layout.height);
    this.small?.cells.clearAll();
    this.headings();
    for (const set of this.passing) set.clear();
    if (layout.passes) for (let cell = 0; cell < state.cells.count.length; cell += 1) this.notePassing(cell);
    for (const actor of layout.rows) {
      this.label(actor);
      for (let column = 0; column < layout.columns; column += 1) this.slot(actor, column);
      if (layout.passes) this.passingPlace(actor);
    }
    this.small?.show(context);
  }

  // Only the slots of these cells, each once.
  cells(changed) {
    const { state, layout, marked, drawn } = this;
    const slots = [];
    const places = new Set();
    for (const cell of changed) {
      const atom = cell % state.atoms;
      if (!drawn[atom]) continue;
      const actor = (cell - atom) / state.atoms;
      const column = layout.columnOf(actor, atom);
      const slot = actor * layout.columns + column;
      if (column < 0) {
        this.notePassing(cell);
        places.add(actor);
      } else if (!marked[slot]) {
        marked[slot] = 1;
        slots.push(slot);
      }
    }
    for (const slot of slots) {
      marked[slot] = 0;
      this.slot(Math.floor(slot / layout.columns), slot % layout.columns);
    }
    for (const actor of places) this.passingPlace(actor);
    this.small?.show(this.context);
  }

  notePassing(cell) {
    const { state } = this;
    const actor = Math.floor(cell / state.atoms);
    const atom = cell % state.atoms;
    if (this.layout.columnOf(actor, atom) >= 0) return;
    if (state.isEmpty(cell) || state.cells.spent[cell]) this.passing[actor].delete(atom);
    else this.passing[actor].add(atom);
  }

  headings() {
    const { context, layout, state } = this;
    const { actors, groups } = state.player;
    context.fillStyle = this.faint;
    context.font = `11px ${this.font}`;
    context.textAlign = 'center';
    const word = { shard: 'shard ', piece: 'piece ', block: '', array: '' }[layout.kind];
    const names =
      layout.kind === 'array'
        ? ['own array', 'received']
        : Array.from({ length: layout.columns }, (_, c) =>
            layout.kind !== 'block' ? `${c}` : groups.length > 1 ? letter(c) : actors[groups[0][c]].name,
          );
    const widest = Math.max(...names.map((name) => context.measureText(word + name).width));
    const short = widest > layout.columnWidth - 2;
    const bare = short ? Math.max(...names.map((name) => context.measureText(name).width)) : widest;
    const every = Math.max(1, Math.ceil((bare + 6) / layout.columnWidth));
    names.forEach((name, c) => {
      if (c % every === 0)
        context.fillText(short ? name : word + name, layout.labelWidth + (c + 0.5) * layout.columnWidth, 12);
    });
    context.textAlign = 'left';
    if (short && word) context.fillText(word.trim(), 2, 12);
    if (layout.passes)
      context.fillText(layout.passWidth > 70 ? 'in passing' : 'pass', layout.passing(layout.rows[0]).x, 12);
  }

  label(actor) {
    const { context, layout } = this;
    const { name, chip } = this.state.player.actors[actor];
    const size = Math.min(12, Math.max(7, layout.rowHeight - 2));
    context.font = `${chip ? '' : 'italic '}${size}px ${this.font}`;
    context.textAlign = 'left';
    context.fillStyle = chip ? this.text : this.faint;
    context.fillText(name, 2, layout.yOf[actor] + layout.rowHeight / 2 + 0.5, layout.labelWidth - 6);
  }

  slot(actor, column) {
    const { layout } = this;
    const slot = layout.slot(actor, column);
    (this.small ?? this).ground(slot);
    const { leaves, came, own, got } = this.inSlot(actor, column);
    if (leaves && came) {
      this.bandsOf({ ...slot, h: slot.h / 2 - 0.5 }, actor, own);
      this.bandsOf({ ...slot, y: slot.y + slot.h / 2 + 0.5, h: slot.h / 2 - 0.5 }, actor, got);
    } else if (leaves || came) {
      this.bandsOf(slot, actor, leaves ? own : got);
    }
    if (layout.columnWidth > 24) (this.small ?? this).border(slot);
  }

  // What a slot may hold, and which of it is there: {own, got, leaves, came}.
  inSlot(actor, column) {
    const { own, got } = this.layout.atomsAt(actor, column);
    const there = (atoms) => atoms.some((atom) => this.stays(actor, atom));
    return { own, got, leaves: there(own), came: there(got) };
  }

  // Of a slot what is drawn at height y of the canvas: {atom, of}, the atom and of how many; null: nothing.
  bandAt(actor, column, y) {
    const { layout } = this;
    const slot = layout.slot(actor, column);
    const { own, got, leaves, came } = this.inSlot(actor, column);
    const share = Math.min(0.999, Math.max(0, (y - slot.y) / slot.h));
    const halves = leaves && came;
    const atoms = halves ? (share < 0.5 ? own : got) : leaves ? own : got;
    if (!leaves && !came) return null;
    const bands = layout.bands(halves ? { ...slot, h: slot.h / 2 - 0.5 } : slot, atoms);
    return this.ofBand(actor, bands[Math.floor((halves ? (share * 2) % 1 : share) * bands.length)].atoms);
  }

  // What is drawn of a band, and for how many atoms. Sums: the first of all; else the first that is there, of those.
  ofBand(actor, atoms) {
    const there = atoms.length === 1 || this.state.sums ? atoms : atoms.filter((atom) => this.stays(actor, atom));
    return there.length > 0 && this.stays(actor, there[0]) ? { atom: there[0], of: there.length } : null;
  }

  ground(slot) {
    const { context } = this;
    context.clearRect(slot.x - 0.5, slot.y - 0.5, slot.w + 1, slot.h + 1);
    context.fillStyle = this.panel;
    context.fillRect(slot.x, slot.y, slot.w, slot.h);
  }

  border(slot) {
    const { context } = this;
    context.strokeStyle = this.line;
    context.lineWidth = 0.5;
    context.strokeRect(slot.x, slot.y, slot.w, slot.h);
  }

  // A block that has left is not there any more.
  stays(actor, atom) {
    const cell = this.state.cell(actor, atom);
    return !this.state.isEmpty(cell) && !(this.layout.kind === 'block' && this.state.cells.spent[cell]);
  }

  bandsOf(slot, actor, atoms) {
    const { state, small } = this;
    for (const band of this.layout.bands(slot, atoms)) {
      const drawn = this.ofBand(actor, band.atoms);
      if (drawn === null) continue;
      const w = (band.w * drawn.of) / band.atoms.length;
      const at = state.cell(actor, drawn.atom);
      if (small) small.holding(small.cells, band.x, band.y, w, band.h, state.cells, at, drawn.atom);
      else this.holding(this.context, { ...band, w }, state.cells, at, drawn.atom);
    }
  }

  // Of what passes, side by side: {atoms, shown, w}, w the width of each that is shown.
  inPassing(actor) {
    const place = this.layout.passing(actor);
    const atoms = [...this.passing[actor]];
    const room = Math.max(1, Math.floor(place.w / 6));
    const shown = atoms.length > room ? atoms.slice(0, Math.max(1, room - 5)) : atoms;
    return { atoms, shown, w: Math.min(40, place.w / Math.max(shown.length, 1), place.w / 2) };
  }

  passingPlace(actor) {
    const { context, layout, state } = this;
    const place = layout.passing(actor);
    context.clearRect(place.x - 1, place.y - 1, place.w + 6, place.h + 2);
    const { atoms, shown, w } = this.inPassing(actor);
    if (atoms.length === 0) return;
    shown.forEach((atom, i) =>
      this.holding(
        context,
        { x: place.x + i * w, y: place.y + place.h * 0.15, w: w - 1, h: place.h * 0.7 },
        state.cells,
        state.cell(actor, atom),
        atom,
      ),
    );
    if (shown.length === atoms.length || place.w < 40) return;
    context.fillStyle = this.faint;
    context.font = `${Math.min(10, layout.rowHeight)}px ${this.font}`;
    context.textAlign = 'right';
    context.fillText(`+${atoms.length - shown.length}`, place.x + place.w, place.y + place.h / 2);
  }

  // The colour of a whole atom: of its origin; of a scatter, where all begin at the root, of whom it is for.
  colorOf(atom) {
    const { operation, atoms } = this.state.player;
    return operation === 'scatter' ? atoms.shard[atom] : atoms.origin[atom];
  }

  // What a cell (of the state, or carried by a message) holds of an atom.
  holding(context, box, cells, at, atom) {
    const { state } = this;
    context.globalAlpha = cells.spent[at] ? kPale : 1;
    if (state.sums) {
      this.stripes(context, box, cells, at, atom);
    } else {
      const color = this.colorOf(atom);
      context.fillStyle = this.colors.fill[color];
      context.fillRect(box.x, box.y, box.w, box.h);
      this.write(context, box, this.names.of(atom), cells.spent[at] ? null : this.colors.ink[color]);
    }
    context.globalAlpha = 1;
  }

  // A stripe for every contribution that is in, at its chip's place.
  stripes(context, box, cells, at, atom) {
    const n = this.state.groupSize;
    const w = box.w / n;
    for (const p of cells.positions(at)) {
      const stripe = { x: box.x + p * w, y: box.y, w, h: box.h };
      context.fillStyle = this.colors.fill[p];
      context.fillRect(stripe.x, stripe.y, w, box.h);
      this.write(context, stripe, this.names.of(atom, p), cells.spent[at] ? null : this.colors.ink[p]);
    }
    if (cells.count[at] >= n && box.h >= 7 && !cells.spent[at])
      this.frame(context, box, cells.count[at] > n ? this.bad : this.text);
  }

  frame(context, { x, y, w, h }, color) {
    context.strokeStyle = color;
    context.lineWidth = h > 16 ? 2 : 1;
    const inset = context.lineWidth / 2;
    context.strokeRect(x + inset, y + inset, w - 2 * inset, h - 2 * inset);
  }

  // On a pale cell, of no colour, in that of what matters less.
  write(context, { x, y, w, h }, text, color) {
    const size = this.names.size(w, h);
    if (size === 0) return;
    context.font = `600 ${size}px ${this.font}`;
    context.globalAlpha = 1;
    context.fillStyle = color ?? this.faint;
    context.textAlign = 'center';
    context.fillText(text, x + w / 2, y + h / 2 + 0.5);
    context.globalAlpha = color === null ? kPale : 1;
  }

  // --- above ---

  clearAbove() {
    this.top.clearRect(0, 0, this.layout.width, this.layout.height);
    this.small?.above.clear();
  }

  // What is on its way at simulated time `time`, where it has come to; and slots that are pointed out.
  moving(flights, time, slots) {
    const { small } = this;
    flights.each(time, (x, y, i) => (small ?? this).token(flights, x, y, i));
    for (const slot of slots) (small ?? this).ring(slot, this.accent, 2);
    small?.above.put(this.top);
  }

  token(flights, x, y, i) {
    const { state, top } = this;
    const box = { x, y, w: flights.w[i], h: flights.h[i] };
    this.holding(top, box, state.carried, flights.payload[i], flights.atom[i]);
    if (box.h < 6) return;
    top.strokeStyle = this.accent;
    top.lineWidth = 1;
    top.strokeRect(box.x - 0.5, box.y - 0.5, box.w + 1, box.h + 1);
  }

  // Where cells are drawn, each place once.
  slotsOf(cells) {
    const { state, layout } = this;
    const found = new Map();
    for (const cell of cells) {
      const actor = Math.floor(cell / state.atoms);
      const column = layout.columnOf(actor, cell % state.atoms);
      const key = actor * (layout.columns + 1) + column + 1;
      if (!found.has(key)) found.set(key, column < 0 ? layout.passing(actor) : layout.slot(actor, column));
    }
    return [...found.values()];
  }

  ring({ x, y, w, h }, color, most) {
    const width = h < 14 ? Math.min(1, most) : most;
    this.top.strokeStyle = color;
    this.top.lineWidth = width;
    this.top.strokeRect(x - width / 2 + 0.5, y - width / 2 + 0.5, w + width - 1, h + width - 1);
  }
}
