// Draws cells. Below: what every chip holds, painted slot by slot where it changes. Above: what moves and what is
// pointed out, painted anew every frame, and as much work as there are messages under way.
import { letter, subscript } from './player_text.js';
import { positionColors } from './player_colors.js';
import { variable } from './theme.js';

const kPale = 0.26;
const kMostFlights = 1500; // in one frame

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

// Whether the stripes of a sum can be told apart in a slot so wide.
export const stripesFit = (width, count) => width / count >= 2;

export class Painter {
  constructor(state, layout, below, above) {
    Object.assign(this, { state, layout, below, above });
    this.passing = state.player.actors.map(() => new Set());
    this.resize();
  }

  resize() {
    const { layout } = this;
    this.context = sized(this.below, layout.width, layout.height);
    this.top = sized(this.above, layout.width, layout.height);
    this.theme();
  }

  theme() {
    this.colors = positionColors(this.state.groupSize);
    for (const name of ['text', 'faint', 'line', 'page', 'panel', 'accent', 'bad']) this[name] = variable(name);
    this.font = variable('font') || 'sans-serif';
    this.all();
  }

  all() {
    const { layout, state, context } = this;
    context.clearRect(0, 0, layout.width, layout.height);
    this.headings();
    for (const set of this.passing) set.clear();
    if (layout.passes) for (let cell = 0; cell < state.cells.count.length; cell += 1) this.notePassing(cell);
    for (const actor of layout.rows) {
      this.label(actor);
      for (let column = 0; column < layout.columns; column += 1) this.slot(actor, column);
      if (layout.passes) this.passingPlace(actor);
    }
  }

  // Only the slots of these cells, each once.
  cells(changed) {
    const { state, layout } = this;
    const slots = new Set();
    const places = new Set();
    for (const cell of changed) {
      const actor = Math.floor(cell / state.atoms);
      const column = layout.columnOf(actor, cell % state.atoms);
      if (column < 0) {
        this.notePassing(cell);
        places.add(actor);
      } else {
        slots.add(actor * layout.columns + column);
      }
    }
    for (const slot of slots) this.slot(Math.floor(slot / layout.columns), slot % layout.columns);
    for (const actor of places) this.passingPlace(actor);
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
    const { context, layout, state } = this;
    const slot = layout.slot(actor, column);
    context.clearRect(slot.x - 0.5, slot.y - 0.5, slot.w + 1, slot.h + 1);
    context.fillStyle = this.panel;
    context.fillRect(slot.x, slot.y, slot.w, slot.h);
    const { own, got } = layout.atomsAt(actor, column);
    const here = (atoms) => atoms.some((atom) => !state.isEmpty(state.cell(actor, atom)));
    const leaves = own.length > 0 && own.some((atom) => this.stays(actor, atom));
    const came = got.length > 0 && here(got);
    if (leaves && came) {
      this.bandsOf({ ...slot, h: slot.h / 2 - 0.5 }, actor, own);
      this.bandsOf({ ...slot, y: slot.y + slot.h / 2 + 0.5, h: slot.h / 2 - 0.5 }, actor, got);
    } else if (leaves || came) {
      this.bandsOf(slot, actor, leaves ? own : got);
    }
    if (layout.columnWidth > 24) {
      context.strokeStyle = this.line;
      context.lineWidth = 0.5;
      context.strokeRect(slot.x, slot.y, slot.w, slot.h);
    }
  }

  // A block that has left is not there any more.
  stays(actor, atom) {
    const cell = this.state.cell(actor, atom);
    return !this.state.isEmpty(cell) && !(this.layout.kind === 'block' && this.state.cells.spent[cell]);
  }

  bandsOf(slot, actor, atoms) {
    for (const band of this.layout.bands(slot, atoms)) {
      if (!this.stays(actor, band.atom)) continue;
      this.holding(this.context, band, this.state.cells, this.state.cell(actor, band.atom), band.atom);
    }
  }

  passingPlace(actor) {
    const { context, layout, state } = this;
    const place = layout.passing(actor);
    context.clearRect(place.x - 1, place.y - 1, place.w + 6, place.h + 2);
    const atoms = [...this.passing[actor]];
    if (atoms.length === 0) return;
    const room = Math.max(1, Math.floor(place.w / 6));
    const shown = atoms.length > room ? atoms.slice(0, Math.max(1, room - 5)) : atoms;
    const w = Math.min(40, place.w / Math.max(shown.length, 1), place.w / 2);
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
      this.write(context, box, this.name(atom), cells.spent[at] ? null : this.colors.ink[color]);
    }
    context.globalAlpha = 1;
  }

  name(atom, position = this.state.player.atoms.origin[atom]) {
    const { atoms, slots } = this.state.player;
    if (slots.kind === 'piece') return letter(position) + subscript(atom);
    if (slots.kind === 'array') return letter(position) + (slots.pieces > 1 ? subscript(atoms.piece[atom]) : '');
    const of = subscript(atoms.shard[atom]);
    return letter(position) + of + (slots.pieces > 1 ? `.${subscript(atoms.piece[atom])}` : '');
  }

  // Runs of neighbouring positions whose contributions are in: draw(first, end).
  runs(cells, at, draw) {
    const n = this.state.groupSize;
    const has = (p) => (p < 32 ? cells.lo[at] >>> p : cells.hi[at] >>> (p - 32)) & 1;
    for (let p = 0; p < n;) {
      if (!has(p)) {
        p += 1;
        continue;
      }
      let end = p + 1;
      while (end < n && has(end)) end += 1;
      draw(p, end);
      p = end;
    }
  }

  // A stripe for every contribution that is in, at its chip's place; where those would be too thin, as high as there
  // are many.
  stripes(context, box, cells, at, atom) {
    const n = this.state.groupSize;
    const width = box.w / n;
    context.imageSmoothingEnabled = false;
    if (stripesFit(box.w, n)) {
      this.runs(cells, at, (first, end) => {
        context.drawImage(
          this.colors.strip,
          first,
          0,
          end - first,
          1,
          box.x + first * width,
          box.y,
          (end - first) * width,
          box.h,
        );
        for (let p = first; p < end && width >= 18; p += 1)
          this.write(
            context,
            { x: box.x + p * width, y: box.y, w: width, h: box.h },
            this.name(atom, p),
            cells.spent[at] ? null : this.colors.ink[p],
          );
      });
    } else {
      this.pile(context, box, cells, at);
    }
    if (cells.count[at] >= n && box.h >= 7 && !cells.spent[at])
      this.frame(context, box, cells.count[at] > n ? this.bad : this.text);
  }

  pile(context, box, cells, at) {
    const count = cells.count[at];
    if (count === 0) return;
    const least = box.h < 8 ? 0.4 : 0.25;
    const h = box.h * (least + (1 - least) * Math.min(1, (count - 1) / (this.state.groupSize - 1)));
    const each = box.w / count;
    let done = 0;
    this.runs(cells, at, (first, end) => {
      context.drawImage(
        this.colors.strip,
        first,
        0,
        end - first,
        1,
        box.x + done * each,
        box.y + box.h - h,
        (end - first) * each,
        h,
      );
      done += end - first;
    });
  }

  frame(context, { x, y, w, h }, color) {
    context.strokeStyle = color;
    context.lineWidth = h > 16 ? 2 : 1;
    const inset = context.lineWidth / 2;
    context.strokeRect(x + inset, y + inset, w - 2 * inset, h - 2 * inset);
  }

  // On a pale cell, of no colour, in that of what matters less.
  write(context, { x, y, w, h }, text, color) {
    const size = Math.min(13, h - 2);
    if (size < 8 || w < 12) return;
    context.font = `600 ${size}px ${this.font}`;
    if (context.measureText(text).width > w - 2) return;
    context.globalAlpha = 1;
    context.fillStyle = color ?? this.faint;
    context.textAlign = 'center';
    context.fillText(text, x + w / 2, y + h / 2 + 0.5);
    context.globalAlpha = color === null ? kPale : 1;
  }

  // --- above ---

  clearAbove() {
    this.top.clearRect(0, 0, this.layout.width, this.layout.height);
  }

  // Messages at simulated time `time`: those on their way, each where it has come to.
  flights(messages, time) {
    const { messages: all, times_s: times } = this.state.player;
    let left = kMostFlights;
    for (const m of messages) {
      const start = times[all.start[m]];
      if (start >= time || left <= 0) continue;
      const share = Math.min(1, (time - start) / (times[all.delivered[m]] - start));
      left -= this.flight(m, share, left);
    }
  }

  flight(m, share, most) {
    const { state, layout, top } = this;
    const { from, to } = state.player.messages;
    const atoms = state.atomsOf(m);
    const every = Math.max(1, Math.ceil(atoms.length / Math.min(most, 128)));
    for (let k = 0; k < atoms.length; k += every) {
      const box = layout.token(layout.spot(from[m], atoms[k]), layout.spot(to[m], atoms[k]), share);
      this.holding(top, box, state.carried, state.payload(m, k), atoms[k]);
      if (box.h < 6) continue;
      top.strokeStyle = this.accent;
      top.lineWidth = 1;
      top.strokeRect(box.x - 0.5, box.y - 0.5, box.w + 1, box.h + 1);
    }
    return Math.ceil(atoms.length / every);
  }

  // Frames around the slots of cells.
  point(cells, color, width) {
    const { state, layout, top } = this;
    const seen = new Set();
    for (const cell of cells) {
      const actor = Math.floor(cell / state.atoms);
      const column = layout.columnOf(actor, cell % state.atoms);
      const key = actor * (layout.columns + 1) + column + 1;
      if (seen.has(key)) continue;
      seen.add(key);
      this.ring(column < 0 ? layout.passing(actor) : layout.slot(actor, column), color, width);
    }
    return top;
  }

  ring({ x, y, w, h }, color, most) {
    const width = h < 14 ? Math.min(1, most) : most;
    this.top.strokeStyle = color;
    this.top.lineWidth = width;
    this.top.strokeRect(x - width / 2 + 0.5, y - width / 2 + 0.5, w + width - 1, h + width - 1);
  }
}
