// Who wins, of each work.
import { el, section } from './dom.js';
import { formatQuantity, isNumber } from './format.js';
import { nameOf, stat } from './parts.js';
import { axesOf, isDetermined } from './sweep_axes.js';
import { SortedTable } from './tables.js';

const kMostCards = 4;

// By work, {best, next, equals}: points; `best` is the first of equals, `next` the best of all others.
export function winners({ points, metric }) {
  const works = new Map();
  for (const point of points) {
    if (point.metric === null || point.metric === undefined) continue;
    const known = works.get(point.work);
    if (known) known.push(point);
    else works.set(point.work, [point]);
  }
  const turn = metric.more_is_better ? -1 : 1;
  const ranked = [...works.values()].map((all) => [...all].sort((a, b) => turn * (a.metric - b.metric)));
  return ranked.map(([best, ...others]) => ({
    best,
    next: others[0] ?? null,
    equals: others.filter((other) => other.metric === best.metric),
  }));
}

const alsoAsGood = (equals) => (equals.length ? `; ${equals.length} more as good` : '');

export function bestStats(sweep) {
  const { points, keys, metric } = sweep;
  const all = winners(sweep);
  const failed = points.filter((point) => point.error).length;
  const cards = all.map(({ best, equals }) =>
    stat(all.length > 1 ? 'best of its work' : 'best', formatQuantity(best.metric, metric.unit), {
      value: best.metric,
      unit: metric.unit,
      note: nameOf(best, keys) + alsoAsGood(equals),
    }),
  );
  return el(
    'dl',
    { class: 'stats' },
    stat('points', String(points.length), { value: points.length }),
    all.length <= kMostCards
      ? cards
      : stat('works', String(all.length), { value: all.length, note: 'each has a winner below' }),
    failed ? stat('errors', String(failed), { value: failed, note: 'in the table' }) : null,
  );
}

// Of a ratio to the best.
const behind = (ratio) => (isNumber(ratio) ? `${((ratio - 1) * 100).toFixed(ratio < 1.1 ? 2 : 0)} %` : '-');

const valueOf = (sweep, axis, point) => axis.values[axis.at[sweep.points.indexOf(point)]].label;

function columns(sweep) {
  const { keys, metric } = sweep;
  const axes = axesOf(sweep);
  // Of what tells works apart the least that does: N where slices have N chips is said by N.
  const work = axes.filter((axis) => axis.spread === 1);
  const needed = work.filter((axis, i) => !isDetermined(axis, work.slice(0, i)));
  const how = axes.filter((axis) => !needed.includes(axis) && !isDetermined(axis, needed));
  const name = (point) => how.map((axis) => `${axis.label} ${valueOf(sweep, axis, point)}`).join(', ');
  const value = ({ metric: number }) => formatQuantity(number, metric.unit);
  return [
    ...needed.map((axis) => ({
      label: axis.label,
      key: keys[axis.lead].path,
      left: true,
      value: ({ best }) => (axis.numeric ? best.parameters[keys[axis.lead].path] : valueOf(sweep, axis, best)),
      text: (_, { best }) => valueOf(sweep, axis, best),
    })),
    {
      label: 'winner',
      key: 'winner',
      left: true,
      value: ({ best }) => name(best),
      text: (text, { equals }) => text + alsoAsGood(equals),
      title: ({ best }) => nameOf(best, keys),
    },
    {
      label: metric.label,
      key: 'metric',
      unit: metric.unit,
      value: ({ best }) => best.metric,
      text: (_, { best }) => value(best),
    },
    { label: 'next best', key: 'next', left: true, value: ({ next }) => (next ? name(next) : null) },
    {
      label: `its ${metric.label}`,
      key: 'next_metric',
      unit: metric.unit,
      value: ({ next }) => next?.metric ?? null,
      text: (_, { next }) => (next ? value(next) : '-'),
    },
    {
      label: 'behind by',
      key: 'next_against_best',
      value: ({ next }) => next?.against_best ?? null,
      text: (ratio, { equals }) => (equals.length ? 'equal' : behind(ratio)),
    },
  ];
}

// Where cards would be too many.
export function winnersSection(sweep) {
  const all = winners(sweep);
  if (all.length <= kMostCards) return null;
  const table = new SortedTable('The best of each work', columns(sweep), all, { filter: false });
  return section('Winners', 2, table.element);
}
