// Colours of both themes. Series: Okabe and Ito's palette, then the same darker or lighter; amounts:
// viridis, so turned that more stands out more. Colour-blind people can tell both apart.

const kDark = window.matchMedia('(prefers-color-scheme: dark)');

const kViridis = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [110, 206, 88],
  [181, 222, 43],
  [253, 231, 37],
];
const kOkabeIto = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8a7fd1', '#b8a21a'];
const kDarker = ['#004b75', '#a87400', '#006b4e', '#99547b', '#2586b8', '#963f00', '#5f55a5', '#7f700d'];
const kBrighter = ['#5aa9d8', '#ffc95c', '#4ccba6', '#e3a9c9', '#9bd3f5', '#ff9650', '#b5adea', '#e0cd55'];

export const isDark = () => kDark.matches;

export const onThemeChange = (redraw) => kDark.addEventListener('change', redraw);

export const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const palette = () => (isDark() ? [...kBrighter, ...kOkabeIto] : [...kOkabeIto, ...kDarker]);

export const seriesColor = (index) => palette()[index % (2 * kOkabeIto.length)];

// The colour of a share of 0 to 1.
export function heat(share) {
  const clamped = Math.min(1, Math.max(0, share));
  const place = (isDark() ? 0.12 + 0.88 * clamped : 1 - clamped) * (kViridis.length - 1);
  const below = Math.min(kViridis.length - 2, Math.floor(place));
  const mixed = kViridis[below].map((from, i) =>
    Math.round(from + (kViridis[below + 1][i] - from) * (place - below)),
  );
  return `rgb(${mixed.join(',')})`;
}

export const heatRange = (stops = 11) => Array.from({ length: stops }, (_, i) => heat(i / (stops - 1)));

const kTints = [1, 2, 3, 4, 5, 6];

// Of steps in a timeline, more muted than those of kinds: blues of compute, greens of communication.
export function stepTints() {
  const all = (family) => kTints.map((number) => variable(`${family}-${number}`));
  return { compute: all('compute'), communication: all('communication') };
}

// The colours of amounts: one a mark of what a timeline or a chart tells apart by kind.
export const kindColor = (kind) => variable(`kind-${kind}`);
