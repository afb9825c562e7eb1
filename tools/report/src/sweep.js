// The page of `hopsim sweep`: the metric over what was varied, time against memory, all points.
import { el, hint, section } from './dom.js';
import {
  engineName,
  exactly,
  formatBytes,
  formatPercent,
  formatQuantity,
  formatTime,
  formatTimes,
  plural,
} from './format.js';
import { paretoSection } from './pareto.js';
import { distinct } from './sweep_axes.js';
import { bestStats, winnersSection } from './sweep_best.js';
import { metricSection } from './sweep_chart.js';
import { sweepNotes } from './sweep_notes.js';
import { named, numberOf } from './sweep_numbers.js';
import { SortedTable } from './tables.js';

const kFewWorks = 12; // whose winners stand above the chart

function note(point) {
  if (point.error) return `error: ${point.error}`;
  const unexpected = point.failed ? 'not as expected' : '';
  return [point.best ? 'best' : '', point.partial || '', unexpected].filter(Boolean).join(', ');
}

const time = (label, key) => ({ label, key, unit: 's', value: (point) => point[key] ?? null, text: formatTime });
const share = (label, key) => ({ label, key, value: (point) => point[key] ?? null, text: formatPercent });

// By value where a parameter is a number, so that 64 KiB sorts before 1 MiB.
function parameterColumns(keys) {
  return keys.map((key, i) => ({
    label: key.label,
    key: key.path,
    hint: key.path,
    left: !key.numeric,
    value: (point) => (key.numeric ? point.parameters[key.path] : point.labels[i]),
    text: (_, point) => point.labels[i],
    title: (point) => (key.numeric ? exactly(point.parameters[key.path], key.unit) : point.labels[i]),
  }));
}

function numberColumns({ metric, points }) {
  const own = !numberOf(metric);
  const all = [
    time('time', 'time_s'),
    time('closed form', 'closed_form_s'),
    time('bound', 'lower_bound_s'),
    ...(own
      ? [
          {
            label: metric.label,
            key: 'metric',
            unit: metric.unit,
            value: (point) => point.metric ?? null,
            text: (value) => formatQuantity(value, metric.unit),
          },
        ]
      : []),
    { label: 'against best', key: 'against_best', value: (point) => point.against_best ?? null, text: formatTimes },
    time('compute', 'compute_s'),
    time('communication', 'comm_s'),
    time('exposed', 'exposed_comm_s'),
    share('hidden', 'overlap'),
    share('MFU', 'mfu'),
    share('busiest link', 'max_utilization'),
    {
      label: 'memory',
      key: 'peak_bytes_per_chip',
      unit: 'B',
      value: (point) => point.peak_bytes_per_chip ?? null,
      text: formatBytes,
    },
  ];
  return all.filter((column) => points.some((point) => column.value(point) !== null && column.value(point) !== 0));
}

function columns(sweep) {
  const says = (column) => sweep.points.some((point) => column.value(point));
  const asked = sweep.keys.findIndex(({ label }) => label === 'algorithm');
  const saysMore = ({ algorithms, labels }) => algorithms && algorithms !== labels[asked];
  return [
    ...parameterColumns(sweep.keys),
    ...[
      {
        label: 'algorithm',
        key: 'algorithms',
        left: true,
        value: (point) => point.algorithms,
        text: (names) => names || '-',
      },
    ].filter(() => sweep.points.some(saysMore)),
    ...numberColumns(sweep),
    ...[
      {
        label: 'note',
        left: true,
        words: true,
        value: note,
        mark: (point) => (point.error || point.failed ? 'bad' : 'good'),
      },
    ].filter(says),
  ];
}

function pointsSection(sweep) {
  const table = new SortedTable('Every point', columns(sweep), sweep.points, {
    filter: true,
    mark: (point) => (point.error ? 'error' : point.best ? 'best' : ''),
    instead: (point) => (point.error ? { after: sweep.keys.length, text: note(point) } : null),
  });
  return section('Points', 2, table.element);
}

export function sweepPage(data) {
  const sweep = { ...data, metric: named(data.metric) };
  const { result, machine, notes, metric, points } = sweep;
  const few = distinct(points.map(({ work }) => work)).length <= kFewWorks;
  return [
    el(
      'article',
      {},
      machine ? el('p', { class: 'machine' }, machine) : null,
      hint(
        `${plural(points.length, 'point')}; ${metric.more_is_better ? 'more' : 'less'} ${metric.label} is better; `,
        `${engineName(result.engine)}.`,
      ),
      sweepNotes(notes),
      bestStats(sweep),
      few ? winnersSection(sweep) : null,
      metricSection(sweep),
      few ? null : winnersSection(sweep),
      paretoSection(sweep),
      pointsSection(sweep),
    ),
  ];
}
