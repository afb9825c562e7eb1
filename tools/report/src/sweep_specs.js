// Vega-Lite specs of a sweep's chart. `look`: {x: axis, metric, width (pixels), series (names, in order), title};
// `rows`: {x, series, value, best, tip}.
import { formatType, logTicks, sizeTicks, spansDecades } from './charts.js';
import { distinct, kMostSeries } from './sweep_axes.js';
import { palette, variable } from './theme.js';

const kFewTicks = 14;
const kHeight = 320;
const kStep = 13; // pixels between points side by side
const kLabelHeight = 13;

// Amounts that grow by a factor, such as 4, 16, 64.
function isGeometric(values) {
  const factors = values.slice(1).map((value, i) => value / values[i]);
  const [first] = factors;
  return factors.length > 1 && first >= 1.5 && factors.every((factor) => Math.abs(factor / first - 1) < 1e-6);
}

// Of all its values, whichever are shown, so that a scale does not change with what is held.
function isLog({ values }) {
  const numbers = values.map(({ number }) => number);
  return numbers.length > 2 && numbers[0] > 0 && (spansDecades(numbers) || isGeometric(numbers));
}

function amountAxis(axis, rows) {
  const values = distinct(rows.map(({ x }) => x));
  const log = isLog(axis);
  const many = !log ? { tickCount: 8 } : { values: axis.unit === 'B' ? sizeTicks(values) : logTicks(values) };
  return {
    field: 'x',
    title: axis.label,
    type: 'quantitative',
    scale: log ? { type: 'log', padding: 12, nice: false } : { padding: 12, zero: false },
    axis: { ...formatType(axis.unit), ...(values.length <= kFewTicks ? { values } : many), labelOverlap: true },
  };
}

function wordAxis({ x: axis, width }) {
  const long = Math.max(...axis.values.map(({ label }) => label.length)) * axis.values.length > 70;
  return {
    field: 'x',
    title: axis.label,
    type: 'ordinal',
    sort: axis.values.map(({ label }) => label),
    axis: { labelAngle: long ? -50 : 0, labelOverlap: axis.values.length * kLabelHeight > width - 80 },
  };
}

function yAxis(metric, rows, zero) {
  const values = rows.map(({ value }) => value);
  const log = !zero && spansDecades(values);
  return {
    field: 'value',
    type: 'quantitative',
    title: metric.label,
    scale: log ? { type: 'log', nice: false, padding: 10 } : { zero, padding: zero ? 0 : 10 },
    axis: {
      ...formatType(metric.unit),
      ...(log ? { values: logTicks(values) } : { tickCount: 6 }),
      labelOverlap: true,
    },
  };
}

function color({ series, title, width }) {
  const longest = Math.max(...series.map((name) => name.length));
  const many = series.length > kMostSeries;
  return {
    field: 'series',
    type: many ? 'ordinal' : 'nominal',
    title,
    legend: { columns: Math.max(1, Math.floor(width / (36 + 7 * Math.min(30, longest)))) },
    sort: series,
    scale: many ? { domain: series, scheme: 'viridis' } : { domain: series, range: palette() },
  };
}

function bars(look, rows) {
  const [bar, best] = ['bar', 'best'].map(variable);
  return {
    data: { values: rows },
    height: 280,
    name: 'points',
    mark: { type: 'bar' },
    encoding: {
      x: wordAxis(look),
      y: yAxis(look.metric, rows, true),
      tooltip: { field: 'tip' },
      color: { condition: { test: 'datum.best', value: best }, value: bar },
    },
  };
}

const ring = (more = 0, filters = []) => ({
  transform: [...filters, { filter: 'datum.best' }],
  mark: { type: 'point', size: 150 + more, strokeWidth: 2 },
});

const isClose = (a, b) => Math.abs(a - b) <= 0.004 * Math.max(Math.abs(a), Math.abs(b));

// Where points stand in the place of their word, 0 to 1: in its middle, side by side those that would hide another.
function placed({ series, x: axis, width }, rows) {
  const order = new Map(series.map((name, i) => [name, i]));
  const values = rows.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const near = (a, b) => Math.abs(a.value - b.value) <= 0.02 * (high - low) || isClose(a.value, b.value);
  const byWord = new Map(axis.values.map(({ label }) => [label, []]));
  for (const row of rows) byWord.get(row.x).push(row);
  return rows.map((row) => {
    const close = byWord.get(row.x).filter((other) => near(row, other));
    const before = close.filter((other) => order.get(other.series) < order.get(row.series)).length;
    const step = Math.min((kStep * byWord.size) / width, 0.9 / close.length);
    return { ...row, place: 0.5 + step * (before - (close.length - 1) / 2) };
  });
}

// Between words there is nothing a line could stand for.
function dots(look, rows) {
  return {
    data: { values: placed(look, rows) },
    height: kHeight,
    encoding: {
      x: wordAxis(look),
      xOffset: { field: 'place', type: 'quantitative', scale: { domain: [0, 1] } },
      y: yAxis(look.metric, rows, false),
      color: color(look),
      tooltip: { field: 'tip' },
    },
    layer: [{ name: 'points', mark: { type: 'point', filled: true, size: 55, opacity: 1 } }, ring()],
  };
}

// By series, how many lie under and over it where lines coincide: at two points, or at all if there is one.
function pilesOf({ series }, rows) {
  const at = new Map(series.map((name) => [name, new Map()]));
  for (const { series: name, x, value } of rows) at.get(name).set(x, value);
  const coincide = (one, other) => {
    const there = at.get(other);
    const shared = [...at.get(one)].filter(([x, value]) => there.has(x) && isClose(there.get(x), value));
    return shared.length > 0 && shared.length >= Math.min(2, at.get(one).size, there.size);
  };
  const piles = new Map(series.map((name) => [name, { under: 0, over: 0 }]));
  const most = (names, side) => Math.max(0, ...names.map((name) => piles.get(name)[side] + 1));
  const meets = (name, others) => others.filter((other) => coincide(name, other));
  if (series.length > kMostSeries) return piles;
  series.forEach((name, i) => (piles.get(name).under = most(meets(name, series.slice(0, i)), 'under')));
  const down = [...series].reverse();
  down.forEach((name, i) => (piles.get(name).over = most(meets(name, down.slice(0, i)), 'over')));
  return piles;
}

// Lines that run in the same place lie on one another, the lower ones wider and the upper ones dashed.
function lines(look, rows) {
  const piles = pilesOf(look, rows);
  const kinds = [...new Map([...piles.values()].map((pile) => [`${pile.under} ${pile.over}`, pile]))]
    .map(([name, pile]) => ({ name, ...pile, filters: [{ filter: `datum.pile === '${name}'` }] }))
    .sort((a, b) => a.under - b.under);
  const pile = ({ series }) => `${piles.get(series).under} ${piles.get(series).over}`;
  return {
    data: { values: rows.map((row) => ({ ...row, pile: pile(row) })) },
    height: kHeight,
    encoding: {
      x: amountAxis(look.x, rows),
      y: yAxis(look.metric, rows, false),
      tooltip: { field: 'tip' },
      color: look.title ? color(look) : { value: variable('bar') },
    },
    layer: [
      ...kinds.map(({ under, over, filters }, i) => ({
        name: `lines_${i}`,
        transform: filters,
        mark: { type: 'line', strokeWidth: 2 + 3 * over, strokeDash: under ? [6, 5] : [1, 0], tooltip: null },
      })),
      ...kinds.map(({ over, filters }, i) => ({
        name: `points_${i}`,
        transform: filters,
        mark: { type: 'point', filled: true, size: 40 + 60 * over, opacity: 1 },
      })),
      ...kinds.map(({ over, filters }) => ring(90 * over, filters)),
    ],
  };
}

export function plot(look, rows) {
  if (look.x.numeric) return lines(look, rows);
  return look.title ? dots(look, rows) : bars(look, rows);
}

export function heatMap(look, rows) {
  const { metric } = look;
  return {
    data: { values: rows },
    height: { step: 26 },
    encoding: {
      x: wordAxis(look),
      y: { field: 'series', type: 'ordinal', title: look.title, sort: look.series },
      tooltip: { field: 'tip' },
    },
    layer: [
      {
        name: 'points',
        mark: 'rect',
        encoding: {
          color: {
            field: 'value',
            type: 'quantitative',
            title: metric.label,
            scale: spansDecades(rows.map(({ value }) => value)) ? { type: 'log' } : {},
            legend: { ...formatType(metric.unit), gradientLength: 220 },
          },
        },
      },
      {
        transform: [{ filter: 'datum.best' }],
        mark: {
          type: 'point',
          shape: 'diamond',
          size: 90,
          filled: true,
          color: variable('best'),
          stroke: variable('page'),
        },
      },
    ],
  };
}
