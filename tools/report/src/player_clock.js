// What plays: from step to step in equal time, however long they are in the run; in between a share of 0 to 1.

const kBase = 12; // seconds for a whole collective at speed 1, but
const kSlowest = 1.2; // no step longer than this,
const kFastest = 1 / 20; // and none shorter

export class Clock {
  // `draw(share)` of the way to the next step; `arrive()` at it: false ends.
  constructor(steps, draw, arrive) {
    Object.assign(this, { draw, arrive, speed: 1, playing: false, request: 0 });
    this.perStep = Math.min(kSlowest, Math.max(kFastest, kBase / Math.max(steps, 1))) * 1000;
    this.share = 0;
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

  frame(now) {
    if (!this.playing) return;
    this.share += this.last === null ? 0 : ((now - this.last) * this.speed) / this.perStep;
    this.last = now;
    while (this.share >= 1 && this.playing) {
      this.share -= 1;
      if (!this.arrive()) return;
    }
    if (!this.playing) return;
    this.draw(this.share);
    this.request = requestAnimationFrame((next) => this.frame(next));
  }
}
