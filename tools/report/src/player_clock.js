// What plays: from step to step in equal time, however long they are in the run; in between a share of 0 to 1.

const kBase = 12; // seconds for a whole collective at speed 1, but
const kSlowest = 1.2; // no step longer than this,
const kFastest = 1 / 20; // and none shorter, unless
const kLongest = 24; // the whole would take longer than this

export class Clock {
  // `draw(share)` of the way to the next step; `arrive(n)` at the n-th from here: false ends.
  constructor(steps, draw, arrive) {
    Object.assign(this, { draw, arrive, speed: 1, playing: false, request: 0 });
    const count = Math.max(steps, 1);
    const eased = Math.min(kSlowest, Math.max(kFastest, kBase / count));
    this.perStep = Math.min(eased, kLongest / count) * 1000;
    this.whole = (this.perStep * steps) / 1000;
    this.share = 0;
  }

  // How long all takes to play, in words.
  lasts(speed) {
    const seconds = this.whole / speed;
    return seconds < 9.95 ? `${Number(seconds.toFixed(1))} s` : `${Math.round(seconds)} s`;
  }

  start() {
    if (this.playing) return;
    this.playing = true;
    this.last = null;
    this.request = requestAnimationFrame((now) => this.frame(now));
  }

  stop() {
    this.playing = false;
    this.share = 0;
    cancelAnimationFrame(this.request);
  }

  // Fast, several steps go by in one frame, and only the last is drawn.
  frame(now) {
    if (!this.playing) return;
    this.share += this.last === null ? 0 : ((now - this.last) * this.speed) / this.perStep;
    this.last = now;
    const steps = Math.floor(this.share);
    this.share -= steps;
    if (steps > 0 && !this.arrive(steps)) return;
    if (!this.playing) return;
    this.draw(this.share);
    this.request = requestAnimationFrame((next) => this.frame(next));
  }
}
