// The page of `hopsim collective`: curves over sizes, the table, the last row's links and chunks.
import { chart } from './charts.js';
import { bandwidthCurves, seriesOf, seriesName, timeCurves } from './collective_curves.js';
import { checkbox, el, hint, section, svg } from './dom.js';
import { fabricSection } from './fabric.js';
import {
  engineName,
  formatBytes,
  formatPercent,
  formatRate,
  formatRatio,
  formatTime,
  plural,
  quotient,
} from './format.js';
import { playersSection } from './players.js';
import { notesList } from './parts.js';
import { SortedTable } from './tables.js';

const timeColumn = (label, key, hinted) => ({
  label,
  key,
  unit: 's',
  value: (row) => row[key] ?? null,
  text: formatTime,
  hint: hinted,
});
const rateColumn = (label, key) => ({
  label,
  key,
  unit: 'B/s',
  value: (row) => row[key] ?? null,
  text: formatRate,
  hint: 'as nccl-tests define it',
});
const bytesColumn = (label, key) => ({ label, key, unit: 'B', value: (row) => row[key], text: formatBytes });
const over = (label, key) => ({
  label,
  value: (row) => (row.partial ? null : quotient(row.time_s, row[key])),
  text: formatRatio,
});

function columns(rows) {
  const measured = rows.some((row) => row.measured_s !== null);
  return [
    { label: 'op', key: 'op', left: true, value: (row) => row.op },
    { label: 'axis', left: true, value: (row) => row.axis },
    { label: 'algorithm', key: 'algorithm', left: true, value: (row) => row.algorithm },
    bytesColumn('bytes', 'bytes'),
    bytesColumn('nccl bytes', 'nccl_bytes'),
    { ...timeColumn('time', 'time_s'), text: (time, row) => `${row.partial ? '> ' : ''}${formatTime(time)}` },
    rateColumn('algbw', 'algbw_Bps'),
    rateColumn('busbw', 'busbw_Bps'),
    timeColumn(
      'closed form',
      'closed_form_s',
      'the book’s formula for the schedule that ran, hops added: a yardstick',
    ),
    over('time/form', 'closed_form_s'),
    timeColumn('bound', 'lower_bound_s', 'what no schedule can beat on this graph'),
    over('time/bound', 'lower_bound_s'),
    { label: 'regime', left: true, value: (row) => row.regime },
    {
      label: 'of link rate',
      key: 'link_share',
      value: (row) => row.link_share,
      text: formatPercent,
      hint: 'share of the time for which the busiest link was busy',
    },
    ...(measured ? [timeColumn('measured', 'measured_s'), over('time/measured', 'measured_s')] : []),
  ];
}

function partialBanner(rows) {
  const stopped = rows.filter((row) => row.partial).length;
  return stopped
    ? el(
        'p',
        { class: 'banner', role: 'note' },
        el('strong', {}, 'Partial result. '),
        `${plural(stopped, 'row')} of ${rows.length} were stopped before they ended.`,
      )
    : null;
}

function knees(curves) {
  const lines = curves
    .filter(({ knee_bytes: knee }) => knee > 0)
    .map((curve) =>
      el(
        'li',
        {},
        `${seriesName(curve)}: latency-bound below `,
        el('span', { 'data-value': curve.knee_bytes }, formatBytes(Number(curve.knee_bytes.toPrecision(3)))),
        `; ${formatTime(curve.latency_s)} of latency, then ${formatRate(curve.bandwidth_Bps)}`,
      ),
    );
  return lines.length ? el('ul', { class: 'notes' }, lines) : null;
}

// {width, dash, dots}: as the curves are drawn.
function lineSwatch({ width, dash, dots }) {
  const shape = { y1: 6, y2: 6, x1: 1, x2: 35, 'stroke-width': width, 'stroke-dasharray': dash };
  return svg(
    'svg',
    { viewBox: '0 0 36 12', width: 36, height: 12, 'aria-hidden': 'true', class: 'line-swatch' },
    svg('line', { ...shape, 'stroke-linecap': dots ? 'round' : 'butt' }),
    dash ? null : [9, 27].map((cx) => svg('circle', { cx, cy: 6, r: 3.4 })),
  );
}

const kKey = (series, measured) =>
  el(
    'p',
    { class: 'key' },
    series.length > 1 ? 'A colour an operation; of each:' : null,
    el('span', {}, lineSwatch({ width: 2.5 }), 'simulated'),
    el('span', {}, lineSwatch({ width: 1.5, dash: '9 5' }), 'closed form'),
    el('span', {}, lineSwatch({ width: 2.4, dash: '0.1 4.5', dots: true }), 'bound that no schedule can beat'),
    measured ? el('span', {}, el('i', { class: 'swatch diamond' }), 'measured') : null,
    el('span', {}, el('i', { class: 'swatch shade' }), 'latency-bound: hops take longer than bytes'),
  );

function bandwidthFigure(rows, curves, series) {
  let showsAlgbw = false;
  const { element, redraw } = chart(
    'Bandwidth by size, log axes',
    bandwidthCurves(rows, curves, series, () => showsAlgbw),
  );
  const box = checkbox('algorithm bandwidth, too', false, (shows) => {
    showsAlgbw = shows;
    redraw();
  });
  box.append(lineSwatch({ width: 1.2, dash: '9 4 0.1 4', dots: true }));
  return el('figure', {}, el('figcaption', {}, 'Bus bandwidth by size'), element, box);
}

function curvesSection({ result, curves }) {
  const rows = result.rows.filter((row) => row.bytes > 0 && row.time_s > 0 && !row.partial);
  if (new Set(rows.map((row) => row.bytes)).size < 2) return null;
  const series = seriesOf(rows);
  const measured = rows.some((row) => row.measured_s !== null);
  const time = timeCurves(rows, curves, series);
  return section(
    'Curves',
    2,
    kKey(series, measured),
    el(
      'div',
      { class: 'chart-pair' },
      el('figure', {}, el('figcaption', {}, 'Time (latency) by size'), chart('Time by size, log axes', time).element),
      bandwidthFigure(rows, curves, series),
    ),
    knees(curves),
  );
}

export function collectivePage(collective) {
  const { result, machine, notes, players, fabric } = collective;
  const { rows } = result;
  return [
    el(
      'article',
      {},
      el('p', { class: 'machine' }, machine),
      hint(
        `${plural(rows.length, 'row')}, ${engineName(result.engine)}` +
          `${rows.length && rows.every((row) => row.verified) ? ', data flow proven' : ''}`,
      ),
      partialBanner(rows),
      notesList(notes),
      curvesSection(collective),
      section('Rows', 2, new SortedTable('Every size', columns(rows), rows, { filter: true }).element),
      playersSection(players, 2),
      fabric
        ? el(
            'div',
            {},
            fabricSection(fabric, 2),
            rows.length ? hint(`Of the last row: ${rows.at(-1).op}, ${formatBytes(rows.at(-1).bytes)}.`) : null,
          )
        : null,
    ),
  ];
}
