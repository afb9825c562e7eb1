// Time against memory: which points no other that does the same work beats in both.
import { chart, formatType, logTicks, spansDecades } from './charts.js';
import { hint, section } from './dom.js';
import { formatBytes, formatTime, plural } from './format.js';
import { nameOf } from './parts.js';
import { variable } from './theme.js';

// From the least memory on, each faster than all before it.
export function paretoFront(points) {
  const order = [...points].sort((a, b) => a.memory - b.memory || a.time - b.time);
  let fastest = Infinity;
  return order.filter(({ time }) => {
    const better = time < fastest;
    fastest = Math.min(fastest, time);
    return better;
  });
}

function axis(field, values, title, unit) {
  const log = spansDecades(values);
  return {
    field,
    type: 'quantitative',
    title,
    scale: log ? { type: 'log', nice: false, padding: 14 } : { zero: false, nice: true, padding: 12 },
    axis: {
      ...formatType(unit),
      labelOverlap: true,
      ...(log
        ? { values: logTicks(values) }
        : { tickCount: { expr: `${field === 'memory' ? 'width' : 'height'} / 70` } }),
    },
  };
}

function spec(values, front) {
  const [bar, form, faint] = ['bar', 'form', 'faint'].map(variable);
  const encoding = {
    x: axis(
      'memory',
      values.map(({ memory }) => memory),
      'peak memory of a chip',
      'B',
    ),
    y: axis(
      'time',
      values.map(({ time }) => time),
      'time',
      's',
    ),
    tooltip: { field: 'tip' },
  };
  return {
    height: 300,
    layer: [
      {
        data: { values: front },
        encoding: { x: encoding.x, y: encoding.y, detail: { field: 'work' } },
        mark: { type: 'line', interpolate: 'step-after', color: form, strokeWidth: 1.5, tooltip: null },
      },
      {
        data: { values: values.filter((value) => !front.includes(value)) },
        encoding,
        mark: { type: 'point', filled: true, size: 42, color: faint, opacity: 0.55 },
      },
      { data: { values: front }, encoding, mark: { type: 'point', filled: true, size: 80, color: bar, opacity: 1 } },
    ],
  };
}

// Keys that say how much is done; points that differ in them are no alternatives.
const kWork = /^(dims(\..*)?|dtype|program\..*\.(bytes|flops|time|m|n|k|dtype))$/;

function worksOf(values) {
  const works = new Map();
  for (const value of values) works.set(value.work, [...(works.get(value.work) ?? []), value]);
  return [...works.values()];
}

function valuesOf({ points, keys }) {
  const varied = keys.filter((_, i) => new Set(points.map((point) => point.labels[i])).size > 1);
  const work = varied.every(({ path }) => kWork.test(path)) ? [] : varied.filter(({ path }) => kWork.test(path));
  return points
    .filter((point) => !point.error && !point.partial && point.peak_bytes_per_chip > 0 && point.time_s > 0)
    .map((point) => ({
      memory: point.peak_bytes_per_chip,
      time: point.time_s,
      work: work.map((key) => point.labels[keys.indexOf(key)]).join(', '),
      tip: {
        point: nameOf(point, keys),
        time: formatTime(point.time_s),
        memory: formatBytes(point.peak_bytes_per_chip),
      },
    }));
}

export function paretoSection(sweep) {
  const values = valuesOf(sweep);
  if (new Set(values.map(({ memory }) => memory)).size < 2) return null;
  const works = worksOf(values);
  const front = works.flatMap(paretoFront);
  return section(
    'Time against memory',
    2,
    hint(
      `${plural(front.length, 'point')} of ${values.length} on ${works.length > 1 ? 'fronts' : 'a front'}: `,
      `no other does the same as fast with as little memory.`,
    ),
    chart('Time against peak memory; the front is joined by a line', () => spec(values, front)).element,
  );
}
