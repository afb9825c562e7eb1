// A colour for every position of a group: a few are told apart by name (Okabe and Ito's palette), many run round the
// colour wheel, so that neighbours look alike and a wave of data shows.
import { isDark, palette } from './theme.js';

const kMostNamed = 8;

function wheel(share, dark) {
  const hue = share * 330;
  return `hsl(${hue.toFixed(1)} ${dark ? 62 : 68}% ${dark ? 58 : 52}%)`;
}

// Black or white, whichever stands out more; by the relative luminance of WCAG 2.
function inkOn(color, context) {
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b] = Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3), (value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? '#10151a' : '#ffffff';
}

// {fill: [color], ink: [color], strip: a canvas of one pixel a position}
export function positionColors(count) {
  const dark = isDark();
  const fill = Array.from({ length: count }, (_, i) => (count <= kMostNamed ? palette()[i] : wheel(i / count, dark)));
  const strip = document.createElement('canvas');
  strip.width = count;
  strip.height = 1;
  const context = strip.getContext('2d', { willReadFrequently: true });
  const ink = fill.map((color) => inkOn(color, context));
  fill.forEach((color, i) => {
    context.fillStyle = color;
    context.fillRect(i, 0, 1, 1);
  });
  return { fill, ink, strip };
}
