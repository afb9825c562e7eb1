// The steps of a run: their times against closed form and bound, and all their numbers.
import { foldAlike, stepKey } from './alike.js';
import { chart, formatType } from './charts.js';
import { el, hint, section } from './dom.js';
import {
  formatBytes,
  formatPercent,
  formatRate,
  formatRatio,
  formatTime,
  plural,
  quotient,
  shorten,
} from './format.js';
import { SortedTable } from './tables.js';
import { variable } from './theme.js';

const kMostBars = 40;

const isBarrier = (step) => step.kind === 'barrier';
const isRun = (step) => step.started !== false;

// Steps that differ in nothing but when they ran share a bar; their times are the mean's.
function grouped(steps) {
  const groups = new Map();
  for (const step of steps) {
    const key = JSON.stringify([step.text, step.algorithm, step.bytes, step.closed_form_s, step.lower_bound_s]);
    const group = groups.get(key) ?? { ...step, time_s: 0, count: 0 };
    group.time_s += step.time_s;
    group.count += 1;
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({ ...group, time_s: group.time_s / group.count }));
}

// What the chart shows: each step, or of many the like ones together, of very many the longest.
function bars(steps) {
  const longest = Math.max(...steps.map((step) => step.time_s));
  const shown = steps.filter((step) => isRun(step) && (!isBarrier(step) || step.time_s > longest / 100));
  if (shown.length <= kMostBars) return { bars: shown.map((step) => ({ ...step, count: 1 })), left: 0 };
  const groups = grouped(shown);
  const most = [...groups].sort((a, b) => b.time_s * b.count - a.time_s * a.count).slice(0, kMostBars);
  return { bars: groups.filter((group) => most.includes(group)), left: groups.length - most.length, grouped: true };
}

function barValue(step, index) {
  const times = step.count > 1 ? ` (x${step.count}, mean)` : '';
  return {
    index,
    time: step.time_s,
    form: step.closed_form_s || null,
    bound: step.lower_bound_s || null,
    label: `${step.program}  ${step.text}${step.algorithm ? `, ${step.algorithm}` : ''}${times}`,
    tip: {
      step: step.text,
      time: formatTime(step.time_s),
      'closed form': formatTime(step.closed_form_s),
      bound: formatTime(step.lower_bound_s),
    },
  };
}

function barChart(values) {
  const [text, bar, form, bound] = ['text', 'bar', 'form', 'bound'].map(variable);
  const tick = (field, color, size) => ({
    transform: [{ filter: `isValid(datum.${field})` }],
    mark: { type: 'tick', thickness: 2.5, size, color, orient: 'vertical', yOffset: 5 },
    encoding: { x: { field, type: 'quantitative' } },
  });
  return (place) => ({
    data: { values },
    height: { step: 36 },
    encoding: {
      y: { field: 'index', type: 'ordinal', axis: null, sort: null },
      tooltip: { field: 'tip', type: 'nominal' },
    },
    layer: [
      {
        mark: { type: 'bar', height: 12, color: bar, yOffset: 5 },
        encoding: {
          x: {
            field: 'time',
            type: 'quantitative',
            title: null,
            axis: { ...formatType('s'), tickCount: { expr: 'width / 90' }, labelOverlap: true },
          },
        },
      },
      tick('form', form, 18),
      tick('bound', bound, 18),
      {
        mark: {
          type: 'text',
          align: 'left',
          baseline: 'bottom',
          fontSize: 11,
          color: text,
          yOffset: -4,
          limit: Math.max(160, place.clientWidth - 24),
        },
        encoding: { x: { value: 0 }, text: { field: 'label' } },
      },
    ],
  });
}

const kKey = el(
  'p',
  { class: 'key' },
  el('span', {}, el('i', { class: 'swatch bar' }), 'simulated'),
  el('span', {}, el('i', { class: 'swatch form' }), 'closed form'),
  el('span', {}, el('i', { class: 'swatch bound' }), 'bound that no schedule can beat'),
);

const ofForm = (step) => (step.finished === false ? null : quotient(step.time_s, step.closed_form_s));
const ofBound = (step) => (step.finished === false ? null : quotient(step.time_s, step.lower_bound_s));

function timeText(seconds, step) {
  if (step.started === false) return '-';
  return `${step.finished === false ? '> ' : ''}${formatTime(seconds)}`;
}

const state = (step) => (step.started === false ? ', not begun' : step.finished === false ? ', unfinished' : '');

// "  x48" of alike steps; else which piece it is.
const many = ({ alike, piece }) => (alike ? `  x${alike.length}` : piece ? ` (${piece})` : '');

const kLine = { label: 'line', value: (step) => step.program, hint: 'of the program' };
const kStep = {
  label: 'step',
  key: 'text',
  left: true,
  words: true,
  value: (step) => step.text,
  text: (text, step) => `${shorten(text, 70)}${many(step)}${state(step)}`,
  title: (step) => step.text,
};
const time = (label, key, hinted) => ({
  label,
  key,
  unit: 's',
  value: (step) => step[key],
  text: formatTime,
  hint: hinted,
});
const rate = (label, key, hinted) => ({
  label,
  key,
  unit: 'B/s',
  value: (step) => step[key],
  text: formatRate,
  hint: hinted,
});

const kSteps = [
  kLine,
  kStep,
  { label: 'algorithm', left: true, value: (step) => step.algorithm, text: (name) => name || '-' },
  {
    label: 'bytes',
    key: 'bytes',
    unit: 'B',
    value: (step) => step.bytes,
    text: (bytes) => (bytes ? formatBytes(bytes) : '-'),
  },
  { ...time('time', 'time_s'), text: timeText },
  time(
    'closed form',
    'closed_form_s',
    'the book’s formula for the schedule that ran, hops added: a yardstick, no bound',
  ),
  { label: 'time/form', value: ofForm, text: formatRatio },
  time('bound', 'lower_bound_s', 'what no schedule can beat on this graph'),
  { label: 'time/bound', value: ofBound, text: formatRatio },
  rate('algbw', 'algbw_Bps', 'as nccl-tests define it'),
  rate('busbw', 'busbw_Bps', 'as nccl-tests define it'),
  { label: 'start', key: 'start_s', unit: 's', value: (step) => step.start_s, text: timeText },
  { label: 'messages', key: 'messages', value: (step) => step.messages },
];

const kFolded = { fold: (steps) => foldAlike(steps, stepKey), atOnce: 2000 };

const orNone = (key) => ({ ...time('', key), text: (seconds) => (seconds ? formatTime(seconds) : '-') });

const kOverlap = [
  kLine,
  kStep,
  { ...orNone('compute_s'), label: 'compute' },
  { ...orNone('comm_s'), label: 'communication' },
  { ...orNone('exposed_comm_s'), label: 'exposed' },
  { label: 'hidden', key: 'overlap', value: (step) => (step.comm_s ? step.overlap : null), text: formatPercent },
  { ...time('time', 'time_s'), text: timeText },
  {
    label: 'time/max',
    key: 'over_bound',
    value: (step) => step.over_bound,
    text: formatRatio,
    hint: '1: the one hides the other whole',
  },
  { label: 'time/sum', key: 'over_sum', value: (step) => step.over_sum, text: formatRatio, hint: '1: nothing hides' },
  { label: 'MFU', key: 'mfu', value: (step) => step.mfu, text: formatPercent },
];

const costOf = (way) => `${way.algorithm} ${formatTime(way.cost_s)}`;

function chosen(steps) {
  const lines = [];
  for (const { program, algorithm, considered, strategy, strategies } of steps) {
    if (considered)
      lines.push(
        `line ${program}: ${considered.by === 'simulation' ? 'best by trying' : 'auto by the cost model'} ` +
          `${algorithm}: ${considered.algorithms.map(costOf).join(', ')}`,
      );
    if (strategies)
      lines.push(
        `line ${program}: ${strategy}, of ${strategies
          .map((way) => `${way.name} ${formatTime(way.time_s)}` + (way.fits ? '' : ' (does not fit the memory)'))
          .join('; ')}`,
      );
  }
  const told = [...new Set(lines)];
  return told.length
    ? el(
        'details',
        {},
        el('summary', {}, 'What algorithms and ways were chosen from'),
        el(
          'ul',
          { class: 'notes' },
          told.map((line) => el('li', {}, line)),
        ),
      )
    : null;
}

export function stepsSection(result, level) {
  const { steps } = result;
  if (!steps.length) return null;
  const { bars: shown, left, grouped: together } = bars(steps);
  const overlaps = result.compute_s > 0 && result.comm_s > 0;
  const label = 'Time of every step beside its closed form and its bound';
  return section(
    'Steps',
    level,
    kKey.cloneNode(true),
    together
      ? hint(
          `${plural(steps.length, 'step')}; those that differ in nothing but when they ran share a bar` +
            `${left ? `, and the ${kMostBars} that take longest are shown` : ''}.`,
        )
      : null,
    shown.length ? chart(label, barChart(shown.map(barValue))).element : null,
    new SortedTable('Steps', kSteps, steps, kFolded).element,
    chosen(steps),
    overlaps
      ? section(
          'Overlap',
          level + 1,
          hint(
            'Exposed: a chip communicates while it computes nothing. Hidden: the share of communication that is not.',
          ),
          new SortedTable('Overlap of compute and communication', kOverlap, steps, kFolded).element,
        )
      : null,
  );
}
