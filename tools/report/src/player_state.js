// What every chip holds at every step of a collective, worked out from the messages alone (player_data.hpp says what
// they are). Pure: no page.
//
// A cell is an atom on an actor: whose contributions it holds (bits by position in the group), how many in all (more
// than there are bits: something was added twice), and whether it has been handed on. All changes are worked out once
// and kept with what was before, so going to a step costs the changes in between, either way.

const kSums = new Set(['all_reduce', 'reduce_scatter', 'reduce']);

// Where every atom is listed of each chunk, and where each chunk's atoms begin.
function expandChunks(chunks) {
  return chunks.map(({ atoms }) => {
    const all = [];
    for (let i = 0; i < atoms.length; i += 2) for (let k = 0; k < atoms[i + 1]; k += 1) all.push(atoms[i] + k);
    return Uint32Array.from(all);
  });
}

class Cells {
  constructor(size) {
    this.lo = new Uint32Array(size);
    this.hi = new Uint32Array(size);
    this.count = new Uint32Array(size);
    this.spent = new Uint8Array(size);
  }

  copy(to, other, from) {
    this.lo[to] = other.lo[from];
    this.hi[to] = other.hi[from];
    this.count[to] = other.count[from];
    this.spent[to] = other.spent[from];
  }

  add(at, position) {
    if (position < 32) this.lo[at] |= 1 << position;
    else this.hi[at] |= 1 << (position - 32);
    this.count[at] += 1;
  }

  positions(at) {
    const all = [];
    for (let p = 0; p < 64; p += 1) if ((p < 32 ? this.lo[at] >>> p : this.hi[at] >>> (p - 32)) & 1) all.push(p);
    return all;
  }
}

// Changes of cells, in order, each with what was before and what is after.
class Changes {
  constructor(most) {
    this.cell = new Uint32Array(most);
    this.before = new Cells(most);
    this.after = new Cells(most);
    this.size = 0;
  }
}

export class PlayerState {
  constructor(player) {
    this.player = player;
    this.atoms = player.atoms.shard.length;
    this.chunkAtoms = expandChunks(player.chunks);
    this.groupSize = player.groups[0].length;
    this.positionOf = new Int32Array(player.actors.length).fill(-1);
    for (const group of player.groups)
      group.forEach((actor, position) => {
        this.positionOf[actor] = position;
      });
    this.sourceOf = new Map((player.pairs ?? []).map(([from, to]) => [to, from]));
    this.cells = new Cells(player.actors.length * this.atoms);
    this.position = 0;
    this.full = new Cells(1);
    for (let p = 0; p < this.groupSize; p += 1) this.full.add(0, p);
    this.findSteps();
    this.begin();
    this.workOut();
    this.promiseCells();
    this.finallyMissing = this.missing();
    this.seek(0);
  }

  get steps() {
    return this.stepTime.length - 1;
  }
  get sums() {
    return kSums.has(this.player.operation);
  }

  cell(actor, atom) {
    return actor * this.atoms + atom;
  }
  timeOf(step) {
    return this.stepTime[step];
  }
  // The messages that step `step` takes in: from the first, up to the second.
  messagesOf(step) {
    return step === 0 ? [0, 0] : [this.messageEnd[step - 1], this.messageEnd[step]];
  }
  atomsOf(message) {
    return this.chunkAtoms[this.player.messages.chunk[message]];
  }

  // Must this actor end with the atom?
  wanted(actor, atom) {
    const { operation, atoms, root } = this.player;
    const position = this.positionOf[actor];
    if (position < 0) return false;
    switch (operation) {
      case 'all_gather':
      case 'all_reduce':
      case 'broadcast':
        return true;
      case 'reduce_scatter':
      case 'scatter':
      case 'all_to_all':
        return atoms.shard[atom] === position;
      case 'reduce':
      case 'gather':
        return position === root;
      default:
        return this.sourceOf.get(position) === atoms.origin[atom];
    }
  }

  // Is the cell what the operation promises of its atom? Every contribution once, or the one there is.
  kept(at) {
    const { lo, hi, count } = this.cells;
    if (this.sums) return count[at] === this.groupSize && lo[at] === this.full.lo[0] && hi[at] === this.full.hi[0];
    const origin = this.player.atoms.origin[at % this.atoms];
    return count[at] === 1 && (origin < 32 ? lo[at] === (1 << origin) >>> 0 : hi[at] === (1 << (origin - 32)) >>> 0);
  }

  // Of the step it is at: how many cells are promised at the end, and how many are as promised already.
  get promise() {
    return { promised: this.promised, kept: this.keptCells };
  }

  // A cell that is promised and is not so; null: all are.
  missing() {
    for (let at = 0; at < this.want.length; at += 1)
      if (this.want[at] && !this.kept(at)) return { actor: Math.floor(at / this.atoms), atom: at % this.atoms };
    return null;
  }

  isComplete(at) {
    return this.sums && this.cells.count[at] === this.groupSize;
  }
  isEmpty(at) {
    return this.cells.count[at] === 0;
  }

  // Cells changed on the way; a cell may come more than once.
  seek(step, changed = () => {}) {
    const { changes } = this;
    while (this.position < step) {
      for (let i = this.changeEnd[this.position]; i < this.changeEnd[this.position + 1]; i += 1) {
        this.set(changes.cell[i], changes.after, i);
        changed(changes.cell[i]);
      }
      this.position += 1;
    }
    while (this.position > step) {
      this.position -= 1;
      for (let i = this.changeEnd[this.position + 1]; i-- > this.changeEnd[this.position];) {
        this.set(changes.cell[i], changes.before, i);
        changed(changes.cell[i]);
      }
    }
  }

  set(cell, from, at) {
    if (this.want[cell]) this.keptCells -= this.kept(cell);
    this.cells.copy(cell, from, at);
    if (this.want[cell]) this.keptCells += this.kept(cell);
  }

  promiseCells() {
    this.want = new Uint8Array(this.cells.lo.length);
    this.promised = 0;
    this.keptCells = 0;
    for (let at = 0; at < this.want.length; at += 1) {
      if (!this.wanted(Math.floor(at / this.atoms), at % this.atoms)) continue;
      this.want[at] = 1;
      this.promised += 1;
      this.keptCells += this.kept(at);
    }
  }

  // What message m carries of its k-th atom.
  payload(message, k) {
    return this.payloadAt[message] + k;
  } // a cell of `carried`

  // Messages on a link, or delivered and not yet taken, some time between this step and the next; at most `most`.
  underWay(step, most) {
    const { start, taken } = this.player.messages;
    const all = [];
    const next = this.timeIndex[Math.min(step + 1, this.steps)];
    for (let m = this.messageEnd[step]; m < taken.length && all.length < most; m += 1)
      if (start[m] < next || (start[m] === next && step === this.steps)) all.push(m);
    return all;
  }

  findSteps() {
    const { taken } = this.player.messages;
    this.stepTime = [0];
    this.timeIndex = [-1];
    this.messageEnd = [0];
    this.stepOf = new Uint32Array(taken.length); // in which a message is taken
    for (let m = 0; m < taken.length; m += 1) {
      if (taken[m] !== this.timeIndex.at(-1) || m === 0) {
        this.timeIndex.push(taken[m]);
        this.stepTime.push(this.player.times_s[taken[m]]);
        this.messageEnd.push(m);
      }
      this.messageEnd[this.messageEnd.length - 1] = m + 1;
      this.stepOf[m] = this.steps;
    }
    this.timeIndex[0] = this.player.times_s.findIndex((time) => time >= 0);
  }

  begin() {
    const { atoms, groups } = this.player;
    for (const group of groups)
      group.forEach((actor, position) => {
        for (let atom = 0; atom < this.atoms; atom += 1)
          if (this.sums || atoms.origin[atom] === position) this.cells.add(this.cell(actor, atom), position);
      });
  }

  workOut() {
    const { after } = this.player.messages;
    const messages = after.length;
    this.payloadAt = new Uint32Array(messages + 1);
    for (let m = 0; m < messages; m += 1) this.payloadAt[m + 1] = this.payloadAt[m] + this.atomsOf(m).length;
    this.carried = new Cells(this.payloadAt[messages]);
    this.changes = new Changes(2 * this.payloadAt[messages]);
    this.changeEnd = new Uint32Array(this.steps + 1);
    const lastTaken = new Uint32Array(this.cells.lo.length); // how many had been taken when a cell changed last
    const posting = Uint32Array.from(after, (_, m) => m).sort((a, b) => after[a] - after[b] || a - b);
    for (let m = 0, next = 0; m < messages; m += 1) {
      for (; next < messages && after[posting[next]] <= m; next += 1) this.capture(posting[next]);
      this.takeIn(m, lastTaken);
      this.changeEnd[this.stepOf[m]] = this.changes.size;
    }
    this.position = this.steps;
  }

  capture(m) {
    const from = this.player.messages.from[m];
    this.atomsOf(m).forEach((atom, k) => this.carried.copy(this.payloadAt[m] + k, this.cells, this.cell(from, atom)));
  }

  takeIn(m, lastTaken) {
    const { from, to, op, after } = this.player.messages;
    this.atomsOf(m).forEach((atom, k) => {
      const sent = this.cell(from[m], atom);
      const here = this.cell(to[m], atom);
      if ((op[m] === 1 || !this.wanted(from[m], atom)) && lastTaken[sent] <= after[m] && !this.cells.spent[sent])
        this.change(sent, () => {
          this.cells.spent[sent] = 1;
        });
      this.change(here, () => this.receive(here, this.payloadAt[m] + k, op[m] === 1));
      lastTaken[here] = m + 1;
    });
  }

  receive(here, payload, adds) {
    const { cells, carried } = this;
    cells.spent[here] = 0;
    cells.lo[here] = adds ? cells.lo[here] | carried.lo[payload] : carried.lo[payload];
    cells.hi[here] = adds ? cells.hi[here] | carried.hi[payload] : carried.hi[payload];
    cells.count[here] = adds ? cells.count[here] + carried.count[payload] : carried.count[payload];
  }

  change(cell, act) {
    const { changes } = this;
    changes.cell[changes.size] = cell;
    changes.before.copy(changes.size, this.cells, cell);
    act();
    changes.after.copy(changes.size, this.cells, cell);
    changes.size += 1;
  }
}
