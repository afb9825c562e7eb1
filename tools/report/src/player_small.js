// Draws the small cells of a painter as pixels: those in which no letters fit.
import { channels, mixed, packed } from './player_colors.js';
import { Pixels } from './player_pixels.js';

const kPale = 0.26;
const kLeastStripe = 2; // units of the page; thinner ones are piled up: as high as there are many

export class Small {
  constructor(painter, scale) {
    const { layout } = painter;
    this.painter = painter;
    this.cells = new Pixels(layout.width, layout.height, scale);
    this.above = new Pixels(layout.width, layout.height, scale);
    const [panel, line, text, bad, accent] = channels(
      ['panel', 'line', 'text', 'bad', 'accent'].map((name) => painter[name]),
    );
    const { rgb } = painter.colors;
    this.full = Uint32Array.from(rgb, packed);
    this.pale = Uint32Array.from(rgb, (color) => packed(mixed(color, panel, kPale)));
    this.colors = { panel: packed(panel), text: packed(text), bad: packed(bad), accent: packed(accent) };
    this.edge = packed(mixed(line, panel, 0.5));
  }

  show(context) {
    this.cells.put(context);
    this.cells.clean();
  }

  ground({ x, y, w, h }) {
    this.cells.fill(x, y, w, h, this.colors.panel);
  }

  border({ x, y, w, h }) {
    this.cells.frame(x, y, w, h, this.edge);
  }

  // As Painter.holding.
  holding(pixels, x, y, w, h, cells, at, atom) {
    const { state } = this.painter;
    const palette = cells.spent[at] ? this.pale : this.full;
    if (!state.sums) return pixels.fill(x, y, w, h, palette[this.painter.colorOf(atom)]);
    const n = state.groupSize;
    if (w / n >= kLeastStripe)
      pixels.stripes(x, y, w, h, cells.lo[at], cells.hi[at], n, palette, this.colors.panel);
    else this.pile(pixels, x, y, w, h, cells, at, palette);
    if (cells.count[at] >= n && h >= 7 && !cells.spent[at])
      pixels.frame(x, y, w, h, cells.count[at] > n ? this.colors.bad : this.colors.text);
    return undefined;
  }

  pile(pixels, x, y, w, h, cells, at, palette) {
    const n = this.painter.state.groupSize;
    const least = h < 8 ? 0.4 : 0.25;
    const high = h * (least + (1 - least) * Math.min(1, (cells.count[at] - 1) / (n - 1)));
    pixels.pile(x, y + h - high, w, high, cells.lo[at], cells.hi[at], n, palette);
  }

  token(flights, x, y, i) {
    const [w, h] = [flights.w[i], flights.h[i]];
    this.holding(this.above, x, y, w, h, this.painter.state.carried, flights.payload[i], flights.atom[i]);
    if (h >= 6) this.above.frame(x - 1, y - 1, w + 2, h + 2, this.colors.accent);
  }

  // Around a slot.
  ring({ x, y, w, h }) {
    this.above.frame(x - 1, y - 1, w + 2, h + 2, this.colors.accent);
    if (h >= 14) this.above.frame(x - 2, y - 2, w + 4, h + 4, this.colors.accent);
  }
}
