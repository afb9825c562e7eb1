// The letters in cells: what is said of an atom, and how large, so that at one size of cells all names fit or none
// is drawn.
import { letter, subscript } from './player_text.js';

const kLeast = 8; // pixels
const kMost = 13;
const kMeasured = 24; // of the longest

export class Names {
  constructor(state) {
    this.state = state;
  }

  // After the letter of whom it is from.
  rest(atom) {
    const { atoms, slots } = this.state.player;
    if (slots.kind === 'piece') return subscript(atom);
    const piece = slots.pieces > 1 ? subscript(atoms.piece[atom]) : '';
    if (slots.kind === 'array') return piece;
    return subscript(atoms.shard[atom]) + (piece && `.${piece}`);
  }

  of(atom, position = this.state.player.atoms.origin[atom]) {
    return letter(position) + this.rest(atom);
  }

  // The width of the widest, at a size of one pixel.
  measure(context, font) {
    context.font = `600 100px ${font}`;
    const widest = (texts) => {
      const longest = [...texts].sort((a, b) => b.length - a.length).slice(0, kMeasured);
      return Math.max(0, ...longest.map((text) => context.measureText(text).width));
    };
    const letters = Array.from({ length: this.state.groupSize }, (_, position) => letter(position));
    const rests = new Set(Array.from({ length: this.state.atoms }, (_, atom) => this.rest(atom)));
    this.em = (Math.max(...letters.map((text) => context.measureText(text).width)) + widest(rests)) / 100;
  }

  // Of letters in a cell so wide and high, in pixels; 0: too small for the widest.
  size(w, h) {
    const size = Math.min(kMost, h - 2, (w - 2) / this.em);
    return size >= kLeast ? size : 0;
  }
}
