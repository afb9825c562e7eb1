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
      {
        name: 'front',
        data: { values: front },
        encoding,
        mark: { type: 'point', filled: true, size: 80, color: bar, opacity: 1 },
      },
    ],
  };
}

function worksOf(values) {
  const works = new Map();
  for (const value of values) {
    if (works.has(value.work)) works.get(value.work).push(value);
    else works.set(value.work, [value]);
  }
  return [...works.values()];
}

const valuesOf = ({ points, keys }) =>
  points
    .filter((point) => !point.error && !point.partial && point.peak_bytes_per_chip > 0 && point.time_s > 0)
    .map((point) => ({
      memory: point.peak_bytes_per_chip,
      time: point.time_s,
      work: point.work,
      tip: {
        point: nameOf(point, keys),
        time: formatTime(point.time_s),
        memory: formatBytes(point.peak_bytes_per_chip),
      },
    }));

// Points that differ in how much is done are no alternatives, and where nothing else varies there are none.
function hasAlternatives({ points, keys }) {
  return keys.some((key, i) => !key.work && points.some(({ labels }) => labels[i] !== points[0].labels[i]));
}

export function paretoSection(sweep) {
  if (!hasAlternatives(sweep)) return null;
  const values = valuesOf(sweep);
  if (new Set(values.map(({ memory }) => memory)).size < 2) return null;
  const works = worksOf(values);
  const front = works.flatMap(paretoFront);
  return section(
    'Time against memory',
    2,
    hint(
      `${plural(front.length, 'point')} of ${values.length} on `,
      works.length > 1 ? `fronts, one for each of ${works.length} works: ` : 'a front: ',
      'no other does the same as fast with as little memory.',
    ),
    chart('Time against peak memory; the front is joined by a line', () => spec(values, front)).element,
  );
}
