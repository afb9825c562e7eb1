// Vega-Lite specs drawn as SVG, as wide as their place is, in the colours of the theme.
import { Error as kErrorsOnly, View, expressionFunction, logger, parse } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile } from 'vega-lite';
import { el } from './dom.js';
import { formatBytes, formatFlopRate, formatNumber, formatPercent, formatRate, formatTime } from './format.js';
import { heatRange, onThemeChange, palette, variable } from './theme.js';
import { hideTip, showTip } from './tooltip.js';

const kFormats = {
  asTime: formatTime,
  asBytes: formatBytes,
  asRate: formatRate,
  asFlopRate: formatFlopRate,
  asPercent: formatPercent,
  asNumber: (value) => (Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value) : formatNumber(value)),
};
for (const [name, format] of Object.entries(kFormats)) expressionFunction(name, (value) => format(value));
const kFormatByUnit = { s: 'asTime', B: 'asBytes', 'B/s': 'asRate', 'FLOP/s': 'asFlopRate', '%': 'asPercent' };

// Of an axis or a legend whose numbers are in `unit`.
export const formatType = (unit) => ({ formatType: kFormatByUnit[unit] ?? 'asNumber' });

function config() {
  const [text, faint, line, grid] = ['text', 'faint', 'line', 'grid'].map(variable);
  const font = variable('font');
  const words = { labelFont: font, titleFont: font, labelColor: faint, titleColor: text };
  return {
    background: 'transparent',
    font,
    customFormatTypes: true,
    view: { stroke: null },
    axis: {
      ...words,
      domainColor: line,
      tickColor: line,
      gridColor: grid,
      labelFontSize: 11,
      titleFontSize: 11,
      titleFontWeight: 500,
      labelLimit: 140,
    },
    legend: {
      ...words,
      orient: 'bottom',
      columns: 3,
      symbolLimit: 24,
      labelLimit: 220,
      titleFontWeight: 500,
      symbolStrokeWidth: 2,
    },
    title: { color: text, font },
    text: { color: text, font },
    range: { category: palette(), heatmap: heatRange(), ramp: heatRange() },
  };
}

function tip(_, event, item, value) {
  if (!value) return hideTip();
  const rows =
    typeof value === 'object' ? Object.entries(value).map(([name, text]) => [name, String(text)]) : [String(value)];
  return showTip(event.clientX, event.clientY, rows);
}

const waiting = [];
let busy = false;

// One chart at a time, so that the page stays at hand while many are drawn.
function drawNext() {
  const draw = waiting.shift();
  if (!draw) {
    busy = false;
    document.documentElement.dataset.drawn = 'true';
    return;
  }
  draw();
  setTimeout(drawNext);
}

function enqueue(draw) {
  if (!waiting.includes(draw)) waiting.push(draw);
  if (busy) return;
  busy = true;
  delete document.documentElement.dataset.drawn;
  setTimeout(drawNext);
}

// A page without charts has nothing to wait for.
setTimeout(() => {
  if (!busy) document.documentElement.dataset.drawn = 'true';
});

const charts = new Set();
onThemeChange(() => {
  for (const draw of charts) enqueue(draw);
});

// `spec()` is asked for the spec whenever it is drawn anew; `label` is what a screen reader says.
export function chart(label, spec) {
  const place = el('div', { class: 'chart' });
  let view = null;
  const draw = () => {
    view?.finalize();
    place.replaceChildren();
    const { spec: compiled } = compile(
      { width: 'container', autosize: { type: 'fit-x', contains: 'padding' }, ...spec(place), description: label },
      { config: config(), logger: logger(kErrorsOnly) },
    );
    // Interpreted, since the page's content security policy lets no text become code.
    view = new View(parse(compiled, null, { ast: true }), {
      expr: expressionInterpreter,
      renderer: 'svg',
      container: place,
      hover: true,
      logLevel: kErrorsOnly,
    });
    view.tooltip(tip).run();
  };
  charts.add(draw);
  enqueue(draw);
  return { element: place, redraw: () => enqueue(draw) };
}

function powers(base, values, most) {
  const log = (value) => Math.log(value) / Math.log(base);
  const [low, high] = [Math.min(...values), Math.max(...values)].map(log);
  const step = Math.max(1, Math.ceil((high - low) / most));
  const ticks = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += step) ticks.push(base ** power);
  return ticks;
}

// Ticks of a log axis over sizes: powers of two that are not too many.
export const sizeTicks = (values) =>
  powers(
    2,
    values.filter((value) => value > 0),
    7,
  );

// Of any other: powers of ten; between few of them 2 and 5, too.
export function logTicks(values) {
  const positive = values.filter((value) => value > 0);
  const tens = powers(10, positive, 7);
  if (tens.length > 4) return tens;
  return tens.flatMap((ten) => [1, 2, 5].map((factor) => Number((factor * ten).toPrecision(3))));
}

export const spansDecades = (values) => {
  const positive = values.filter((value) => value > 0);
  return positive.length === values.length && Math.max(...positive) / Math.min(...positive) >= 20;
};
