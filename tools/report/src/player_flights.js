// What moves between a step and the next: a token for every column that a message carries something to, as columns of
// numbers that are worked out once a step.

const kMostMessages = 4000;
const kMostTokens = 6000;
const kMostATime = 128; // tokens of one message

export class Flights {
  constructor(state, layout) {
    Object.assign(this, { state, layout, size: 0 });
    for (const name of ['fromX', 'fromY', 'toX', 'toY', 'w', 'h', 'start', 'end'])
      this[name] = new Float64Array(kMostTokens);
    for (const name of ['payload', 'atom']) this[name] = new Uint32Array(kMostTokens);
  }

  at(step) {
    this.size = 0;
    const { state } = this;
    this.seen = new Set();
    if (step < state.steps) for (const m of state.underWay(step, kMostMessages)) this.add(m);
  }

  // Of atoms that would be drawn one upon another, the first.
  add(m) {
    const { state, layout, seen } = this;
    const { from, to, start, delivered } = state.player.messages;
    const times = state.player.times_s;
    const atoms = state.atomsOf(m);
    const way = (start[m] * state.player.actors.length + from[m]) * state.player.actors.length + to[m];
    const every = Math.max(1, Math.ceil(atoms.length / kMostATime));
    for (let k = 0; k < atoms.length && this.size < kMostTokens; k += every) {
      const key = way * layout.places + layout.placeOf(to[m], atoms[k]);
      if (seen.has(key)) continue;
      seen.add(key);
      const i = this.size++;
      this.place(i, layout.token(layout.spot(from[m], atoms[k]), layout.spot(to[m], atoms[k])));
      this.start[i] = times[start[m]];
      this.end[i] = times[delivered[m]];
      this.payload[i] = state.payload(m, k);
      this.atom[i] = atoms[k];
    }
  }

  place(i, { from, to, w, h }) {
    this.fromX[i] = from.x;
    this.fromY[i] = from.y;
    this.toX[i] = to.x;
    this.toY[i] = to.y;
    this.w[i] = w;
    this.h[i] = h;
  }

  // Tokens at simulated time `time`: draw(x, y, i).
  each(time, draw) {
    for (let i = 0; i < this.size; i += 1) {
      if (this.start[i] >= time) continue;
      const share = Math.min(1, (time - this.start[i]) / (this.end[i] - this.start[i]));
      draw(
        this.fromX[i] + (this.toX[i] - this.fromX[i]) * share,
        this.fromY[i] + (this.toY[i] - this.fromY[i]) * share,
        i,
      );
    }
  }
}
