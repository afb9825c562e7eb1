// Small cells as pixels: many thousands a frame, where letters would not fit. A picture as large as the canvas, of
// which the part that was written goes there at once.

export class Pixels {
  // Of a canvas `width` by `height`, in units of the page of which each has `scale` pixels.
  constructor(width, height, scale) {
    this.scale = scale;
    this.width = Math.max(1, Math.round(width * scale));
    this.height = Math.max(1, Math.round(height * scale));
    this.image = new ImageData(this.width, this.height);
    this.data = new Uint32Array(this.image.data.buffer);
    this.order = new Uint8Array(64); // of a pile: the positions that are in it
    this.clean();
  }

  clean() {
    this.left = this.width;
    this.top = this.height;
    this.right = this.bottom = 0;
  }

  // Where a box begins and ends, in pixels; at least one each way. Noted as written.
  within(x, y, w, h) {
    const { scale } = this;
    this.x0 = Math.max(0, Math.round(x * scale));
    this.x1 = Math.min(this.width, Math.max(this.x0 + 1, Math.round((x + w) * scale)));
    this.y0 = Math.max(0, Math.round(y * scale));
    this.y1 = Math.min(this.height, Math.max(this.y0 + 1, Math.round((y + h) * scale)));
    if (this.x0 < this.left) this.left = this.x0;
    if (this.y0 < this.top) this.top = this.y0;
    if (this.x1 > this.right) this.right = this.x1;
    if (this.y1 > this.bottom) this.bottom = this.y1;
  }

  fill(x, y, w, h, color) {
    this.within(x, y, w, h);
    for (let row = this.y0; row < this.y1; row += 1)
      this.data.fill(color, row * this.width + this.x0, row * this.width + this.x1);
  }

  frame(x, y, w, h, color) {
    this.within(x, y, w, h);
    const { x0, x1, y0, y1, width, data } = this;
    data.fill(color, y0 * width + x0, y0 * width + x1);
    data.fill(color, (y1 - 1) * width + x0, (y1 - 1) * width + x1);
    for (let row = y0; row < y1; row += 1) data[row * width + x0] = data[row * width + x1 - 1] = color;
  }

  // The first row of the box that `within` found, again down to its end.
  repeat() {
    const { data, width, x0, x1, y0, y1 } = this;
    for (let row = y0 + 1; row < y1; row += 1) data.copyWithin(row * width + x0, y0 * width + x0, y0 * width + x1);
  }

  // A stripe for each of n positions that is in, at its place.
  stripes(x, y, w, h, lo, hi, n, colors, ground) {
    this.within(x, y, w, h);
    const { data, x0, x1 } = this;
    const start = this.y0 * this.width;
    for (let i = x0; i < x1; i += 1) {
      const p = Math.floor(((i - x0) * n) / (x1 - x0));
      data[start + i] = (p < 32 ? lo >>> p : hi >>> (p - 32)) & 1 ? colors[p] : ground;
    }
    this.repeat();
  }

  // The positions that are in, side by side over the whole width: no more stripes than pixels.
  pile(x, y, w, h, lo, hi, n, colors) {
    let count = 0;
    for (let p = 0; p < n; p += 1) if ((p < 32 ? lo >>> p : hi >>> (p - 32)) & 1) this.order[count++] = p;
    if (count === 0) return;
    this.within(x, y, w, h);
    const { data, x0, x1, order } = this;
    const start = this.y0 * this.width;
    for (let i = x0; i < x1; i += 1) data[start + i] = colors[order[Math.floor(((i - x0) * count) / (x1 - x0))]];
    this.repeat();
  }

  // What was written since `clean` or `clear`.
  put(context) {
    const [w, h] = [this.right - this.left, this.bottom - this.top];
    if (w > 0 && h > 0) context.putImageData(this.image, 0, 0, this.left, this.top, w, h);
  }

  // What was written since then is to be seen through again.
  clear() {
    for (let row = this.top; row < this.bottom; row += 1)
      this.data.fill(0, row * this.width + this.left, row * this.width + this.right);
    this.clean();
  }

  clearAll() {
    this.data.fill(0);
    this.clean();
  }
}
