// Curves of collectives over their sizes, both axes logarithmic: one colour a series.
import { formatType, logTicks, sizeTicks } from './charts.js';
import { formatBytes, formatRate, formatTime } from './format.js';
import { seriesColor, variable } from './theme.js';

export const seriesName = ({ op, axis, algorithm }) =>
  [op, axis && `over ${axis}`, algorithm].filter(Boolean).join(' ');

export const seriesOf = (rows) => [...new Set(rows.map(seriesName))];

const kLog = { type: 'log', nice: false };

function sizeAxis(rows) {
  return {
    field: 'bytes',
    type: 'quantitative',
    scale: { ...kLog, padding: 6 },
    title: 'bytes of the whole array',
    axis: { ...formatType('B'), values: sizeTicks(rows.map((row) => row.bytes)), labelOverlap: true, labelAngle: 0 },
  };
}

function color(series) {
  return {
    field: 'series',
    type: 'nominal',
    title: null,
    legend: series.length > 1 ? { columns: 1, labelLimit: 300 } : null,
    scale: { domain: series, range: series.map((_, i) => seriesColor(i)) },
  };
}

// From the smallest size to where each series stops to be latency-bound.
function shade(rows, curves, series) {
  const sizes = rows.map((row) => row.bytes);
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const values = curves
    .filter((curve) => curve.knee_bytes > low && series.includes(seriesName(curve)))
    .map((curve) => ({
      series: seriesName(curve),
      bytes: low,
      to: Math.min(curve.knee_bytes, high),
      tip: `${seriesName(curve)}: latency-bound below ${formatBytes(Number(curve.knee_bytes.toPrecision(3)))}`,
    }));
  return {
    data: { values },
    mark: { type: 'rect', opacity: 0.16 / Math.max(1, Math.sqrt(values.length)), color: variable('shade') },
    encoding: { x: sizeAxis(rows), x2: { field: 'to' }, tooltip: { field: 'tip' } },
  };
}

// A line for each of `marks`, over all values.
function curves(values, rows, marks, series, unit, title) {
  const ticks = logTicks(marks.flatMap(({ field }) => values.map((value) => value[field])));
  return marks.map(({ field, mark }) => ({
    transform: [{ filter: `datum.${field} > 0` }],
    mark,
    encoding: {
      x: sizeAxis(rows),
      y: {
        field,
        type: 'quantitative',
        scale: kLog,
        title,
        axis: { ...formatType(unit), values: ticks, labelOverlap: true },
      },
      color: color(series),
      detail: { field: 'series' },
      tooltip: { field: 'tip' },
    },
  }));
}

// As collective.js draws them in the key.
const kDashed = { type: 'line', strokeDash: [9, 5], strokeWidth: 1.5, opacity: 0.9, tooltip: null };
const kDotted = { type: 'line', strokeDash: [0.1, 4.5], strokeCap: 'round', strokeWidth: 2.4, tooltip: null };
const kDashDot = { type: 'line', strokeDash: [9, 4, 0.1, 4], strokeCap: 'round', strokeWidth: 1.2, tooltip: null };
const kSolid = { type: 'line', strokeWidth: 2.5, point: { size: 40, filled: true } };
const kDiamond = { type: 'point', shape: 'diamond', size: 80, strokeWidth: 2 };

function tipOf(row) {
  return {
    of: seriesName(row),
    bytes: formatBytes(row.bytes),
    time: formatTime(row.time_s),
    algbw: formatRate(row.algbw_Bps),
    busbw: formatRate(row.busbw_Bps),
    'closed form': formatTime(row.closed_form_s),
    bound: formatTime(row.lower_bound_s),
    ...(row.measured_s === null ? {} : { measured: formatTime(row.measured_s) }),
    regime: row.regime,
  };
}

// `lines()`: the fields of values that are drawn, and how.
function curvesBySize(values, lines, { rows, terms, series }, unit, title) {
  return () => ({
    data: { values },
    height: 300,
    layer: [shade(rows, terms, series), ...curves(values, rows, lines(), series, unit, title)],
  });
}

export function timeCurves(rows, terms, series) {
  const values = rows.map((row) => ({
    series: seriesName(row),
    bytes: row.bytes,
    time: row.time_s,
    form: row.closed_form_s,
    bound: row.lower_bound_s,
    measured: row.measured_s,
    tip: tipOf(row),
  }));
  const lines = () => [
    { field: 'bound', mark: kDotted },
    { field: 'form', mark: kDashed },
    { field: 'time', mark: kSolid },
    { field: 'measured', mark: kDiamond },
  ];
  return curvesBySize(values, lines, { rows, terms, series }, 's', 'time');
}

// Of closed form, bound and measured times the bus bandwidth as of the row's own: in proportion to the time.
// `showsAlgbw()`: whether algorithm bandwidth is drawn, too.
export function bandwidthCurves(rows, terms, series, showsAlgbw) {
  const values = rows.map((row) => {
    const as = (seconds) => (seconds > 0 ? (row.busbw_Bps * row.time_s) / seconds : null);
    return {
      series: seriesName(row),
      bytes: row.bytes,
      busbw: row.busbw_Bps,
      algbw: row.algbw_Bps,
      form: as(row.closed_form_s),
      bound: as(row.lower_bound_s),
      measured: as(row.measured_s),
      tip: tipOf(row),
    };
  });
  const lines = () => [
    { field: 'bound', mark: kDotted },
    { field: 'form', mark: kDashed },
    ...(showsAlgbw() ? [{ field: 'algbw', mark: kDashDot }] : []),
    { field: 'busbw', mark: kSolid },
    { field: 'measured', mark: kDiamond },
  ];
  return curvesBySize(values, lines, { rows, terms, series }, 'B/s', 'bandwidth');
}
