// What was expected of a run, what was measured elsewhere, and what the other engine says.
import { el, section } from './dom.js';
import {
  exactly,
  formatNumber,
  formatPercent,
  formatQuantity,
  formatTime,
  isNumber,
  saysAll,
  unitOfKey,
} from './format.js';
import { table } from './tables.js';

function verdict(expectation) {
  if (expectation.evaluated === false) return 'not evaluated';
  if (expectation.measured) return 'measured';
  return expectation.pass ? '✓ as expected' : '✗ not as expected';
}

function signed(share, digits) {
  if (!isNumber(share)) return '-';
  const text = Math.abs(share * 100).toFixed(digits);
  return `${Number(text) === 0 ? '' : share < 0 ? '-' : '+'}${text} %`;
}

// In units, and below it every digit where that is rounded.
function amount(value, { what }) {
  if (!isNumber(value)) return value ?? '-';
  const unit = unitOfKey(what);
  const text = formatQuantity(value, unit);
  return saysAll(text, value) ? text : [text, el('small', { class: 'exact' }, exactly(value, unit))];
}

const kExpectations = [
  { label: 'of', left: true, value: ({ step, what }) => (step === null ? what : `step ${step} ${what}`) },
  {
    label: 'outcome',
    left: true,
    value: verdict,
    mark: (row) => (row.pass === true ? 'good' : row.pass === false ? 'bad' : ''),
  },
  { label: 'here', key: 'value', value: (row) => row.value, text: amount, unit: (row) => unitOfKey(row.what) },
  {
    label: 'expected',
    key: 'expected',
    value: (row) => row.expected,
    text: amount,
    unit: (row) => unitOfKey(row.what),
  },
  {
    label: 'difference',
    key: 'error',
    value: (row) => row.error,
    text: (error, row) => signed(error, row.measured ? 1 : 3),
  },
  {
    label: 'within',
    value: (row) => row.within,
    text: (within) => (isNumber(within) ? `${formatNumber(within * 100)} %` : '-'),
  },
  { label: 'source', left: true, words: true, value: (row) => row.source, text: (source) => source || '-' },
];

const kEngines = [
  { label: 'of', left: true, value: (row) => row.of },
  { label: 'event engine', unit: 's', value: (row) => row.event_s, text: formatTime },
  { label: 'SimGrid', unit: 's', value: (row) => row.simgrid_s, text: formatTime },
  { label: 'difference', value: (row) => row.difference, text: (share) => signed(share, 3) },
  {
    label: 'allowed',
    unit: 's',
    value: (row) => row.allowed_s,
    text: (allowed, row) => (row.event_s > 0 ? formatPercent(allowed / row.event_s) : formatTime(allowed)),
  },
  {
    label: 'verdict',
    left: true,
    value: (row) => row.verdict,
    mark: (row) => (row.verdict === 'disagrees' ? 'bad' : row.verdict === 'agrees' ? 'good' : ''),
  },
];

function engines({ cross_check: check }, level) {
  if (!check) return null;
  const rows = [...check.steps.map((step) => ({ ...step, of: `step ${step.program}` })), { ...check, of: 'total' }];
  return section('Two engines', level, table('What both engines say', kEngines, rows));
}

export function outcomes(result, level) {
  const expected = result.expect.length
    ? section('Expected and measured', level, table('Expected and measured', kExpectations, result.expect))
    : null;
  return [expected, engines(result, level)];
}
