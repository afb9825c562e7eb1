// A colour for every position of a group: a few are told apart by name (Okabe and Ito's palette), many run round the
// colour wheel, so that neighbours look alike and a wave of data shows.
import { isDark, palette } from './theme.js';

const kMostNamed = 8;

function wheel(share, dark) {
  const hue = share * 330;
  return `hsl(${hue.toFixed(1)} ${dark ? 62 : 68}% ${dark ? 58 : 52}%)`;
}

function pixelContext(width) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = 1;
  return canvas.getContext('2d', { willReadFrequently: true });
}

// Black or white, whichever stands out more; by the relative luminance of WCAG 2.
function inkOn([red, green, blue]) {
  const [r, g, b] = [red, green, blue].map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? '#10151a' : '#ffffff';
}

// Colours as [red, green, blue] of 0 to 255.
export function channels(colors) {
  const context = pixelContext(colors.length);
  colors.forEach((color, i) => {
    context.fillStyle = color;
    context.fillRect(i, 0, 1, 1);
  });
  const { data } = context.getImageData(0, 0, colors.length, 1);
  return colors.map((_, i) => Array.from(data.slice(4 * i, 4 * i + 3)));
}

// As the 32 bits of a pixel that hides what is below.
export const packed = (rgb) => new Uint32Array(Uint8Array.from([...rgb, 255]).buffer)[0];

export const mixed = (one, other, share) => one.map((value, i) => Math.round(value * share + other[i] * (1 - share)));

// {fill: [color], ink: [color], rgb: [channels]}
export function positionColors(count) {
  const dark = isDark();
  const fill = Array.from({ length: count }, (_, i) => (count <= kMostNamed ? palette()[i] : wheel(i / count, dark)));
  const rgb = channels(fill);
  return { fill, rgb, ink: rgb.map(inkOn) };
}
