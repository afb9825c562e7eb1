// A number of a sweep's points over one or two of the keys it varies, the others held.
import { chart, formatType, logTicks, sizeTicks, spansDecades } from './charts.js';
import { el, section, select } from './dom.js';
import { formatQuantity, isNumber } from './format.js';
import { nameOf } from './parts.js';
import { palette, variable } from './theme.js';

const kNumbers = [
  { path: 'time_s', label: 'time', unit: 's' },
  { path: 'compute_s', label: 'compute', unit: 's' },
  { path: 'comm_s', label: 'communication', unit: 's' },
  { path: 'exposed_comm_s', label: 'exposed communication', unit: 's' },
  { path: 'overlap', label: 'hidden share of communication', unit: '%' },
  { path: 'mfu', label: 'MFU', unit: '%' },
  { path: 'max_utilization', label: 'utilisation of the busiest link', unit: '%' },
  { path: 'peak_bytes_per_chip', label: 'peak memory of a chip', unit: 'B' },
  { path: 'against_best', label: 'against best', unit: '' },
];
const kMostSeries = 12;

// The metric that points are ranked by, then whatever else they have.
function metricsOf({ metric, points }) {
  const others = kNumbers.filter(({ path }) => path !== metric.path && points.some((point) => point[path] > 0));
  return [
    { ...metric, value: (point) => point.metric },
    ...others.map((number) => ({ ...number, value: (point) => point[number.path] })),
  ];
}

// Distinct values of a key in their order: numbers by size, else as the points come.
function valuesOf(sweep, index) {
  const { path, numeric } = sweep.keys[index];
  const seen = new Map();
  for (const point of sweep.points)
    if (!seen.has(point.labels[index])) seen.set(point.labels[index], point.parameters[path]);
  const values = [...seen].map(([label, value]) => ({ label, value }));
  return numeric ? values.sort((a, b) => a.value - b.value) : values;
}

class MetricChart {
  constructor(sweep) {
    this.sweep = sweep;
    this.metrics = metricsOf(sweep);
    this.metric = this.metrics[0];
    this.values = sweep.keys.map((_, i) => valuesOf(sweep, i));
    const varied = sweep.keys.map((_, i) => i).filter((i) => this.values[i].length > 1);
    this.varied = varied.length ? varied : [0];
    [this.x, this.by = null] = [...this.varied].sort((a, b) => this.rank(b) - this.rank(a));
    this.as = 'lines';
    this.held = this.firstHeld();
    this.controls = el('div', { class: 'controls' });
    this.chart = chart('The chosen number over the chosen parameters', () => this.spec());
    this.drawControls();
  }

  // Numbers along the axis first, and the key of more values.
  rank(i) {
    return (this.sweep.keys[i].numeric ? 1e6 : 0) + this.values[i].length;
  }

  firstHeld() {
    const best = this.sweep.points.find((point) => point.best) ?? this.sweep.points[0];
    return [...best.labels];
  }

  set(change) {
    Object.assign(this, change);
    if (this.by === this.x) this.by = this.varied.find((i) => i !== this.x) ?? null;
    this.drawControls();
    this.chart.redraw();
  }

  drawControls() {
    const keys = this.varied.map((value) => ({ value, label: this.sweep.keys[value].label }));
    const metrics = this.metrics.map((value) => ({ value, label: value.label }));
    const controls = [select('metric', metrics, this.metric, (metric) => this.set({ metric }))];
    if (keys.length > 1) {
      controls.push(select('along', keys, this.x, (x) => this.set({ x })));
      const others = [...keys.filter(({ value }) => value !== this.x), { value: null, label: 'nothing' }];
      controls.push(select('by', others, this.by, (by) => this.set({ by })));
    }
    if (this.by !== null) {
      const looks = ['lines', 'heat map'].map((value) => ({ value, label: value }));
      controls.push(select('as', looks, this.as, (as) => this.set({ as })));
    }
    for (const i of this.varied.filter((key) => key !== this.x && key !== this.by)) controls.push(this.holder(i));
    const focused = [...this.controls.querySelectorAll('select')].indexOf(document.activeElement);
    this.controls.replaceChildren(...controls);
    if (focused >= 0) this.controls.querySelectorAll('select')[focused]?.focus();
  }

  holder(i) {
    const options = this.values[i].map(({ label }) => ({ value: label, label }));
    return select(this.sweep.keys[i].label, options, this.held[i], (label) => {
      this.held[i] = label;
      this.set({});
    });
  }

  isHeld(point) {
    return this.varied.every((i) => i === this.x || i === this.by || point.labels[i] === this.held[i]);
  }

  rows() {
    const { points, keys } = this.sweep;
    return points
      .filter((point) => isNumber(this.metric.value(point)) && !point.partial && this.isHeld(point))
      .map((point) => ({
        x: this.isNumeric() ? point.parameters[keys[this.x].path] : point.labels[this.x],
        by: this.by === null ? '' : point.labels[this.by],
        value: this.metric.value(point),
        best: Boolean(point.best),
        tip: {
          point: nameOf(point, keys),
          [this.metric.label]: formatQuantity(this.metric.value(point), this.metric.unit),
        },
      }));
  }

  isNumeric() {
    return this.sweep.keys[this.x].numeric && this.as === 'lines';
  }

  spec() {
    const rows = this.rows();
    if (!rows.length) return { data: { values: [{}] }, height: 60, mark: { type: 'text', text: 'no such points' } };
    if (this.by !== null && this.as === 'heat map') return this.heatMap(rows);
    return this.lines(rows);
  }

  xAxis(rows) {
    const key = this.sweep.keys[this.x];
    const words = { field: 'x', title: key.label };
    if (!this.isNumeric())
      return {
        ...words,
        type: 'ordinal',
        sort: this.values[this.x].map(({ label }) => label),
        axis: { labelAngle: this.values[this.x].length > 6 ? -50 : 0, labelOverlap: true },
      };
    const values = [...new Set(rows.map(({ x }) => x))];
    const log = values.length > 2 && spansDecades(values);
    const ticks =
      log && key.unit === 'B' ? { values: sizeTicks(values) } : log ? { values: logTicks(values) } : { tickCount: 8 };
    return {
      ...words,
      type: 'quantitative',
      scale: log ? { type: 'log', padding: 8, nice: false } : { padding: 8, zero: false },
      axis: { ...formatType(key.unit), ...(values.length <= 14 ? { values } : ticks), labelOverlap: true },
    };
  }

  yAxis(rows, zero) {
    const values = rows.map(({ value }) => value);
    const log = !zero && spansDecades(values);
    const unit = formatType(this.metric.unit);
    return {
      field: 'value',
      type: 'quantitative',
      title: this.metric.label,
      scale: log ? { type: 'log', nice: false, padding: 10 } : { zero },
      axis: { ...unit, ...(log ? { values: logTicks(values) } : { tickCount: 6 }), labelOverlap: true },
    };
  }

  color(rows) {
    const order = this.by === null ? [''] : this.values[this.by].map(({ label }) => label);
    const names = order.filter((name) => rows.some(({ by }) => by === name));
    const many = names.length > kMostSeries;
    return {
      field: 'by',
      type: many ? 'ordinal' : 'nominal',
      title: this.by === null ? null : this.sweep.keys[this.by].label,
      legend: this.by === null ? null : { columns: 4 },
      sort: names,
      scale: many ? { domain: names, scheme: 'viridis' } : { domain: names, range: palette() },
    };
  }

  lines(rows) {
    const bars = !this.isNumeric() && this.by === null;
    const encoding = { x: this.xAxis(rows), y: this.yAxis(rows, bars), tooltip: { field: 'tip' } };
    if (bars) {
      const [bar, form] = ['bar', 'best'].map(variable);
      return {
        data: { values: rows },
        height: 280,
        mark: { type: 'bar' },
        encoding: { ...encoding, color: { condition: { test: 'datum.best', value: form }, value: bar } },
      };
    }
    return {
      data: { values: rows },
      height: 320,
      encoding: { ...encoding, color: this.color(rows) },
      layer: [
        { mark: { type: 'line', strokeWidth: 2, tooltip: null } },
        { mark: { type: 'point', filled: true, size: 40, opacity: 1 } },
        { transform: [{ filter: 'datum.best' }], mark: { type: 'point', size: 150, strokeWidth: 2 } },
      ],
    };
  }

  heatMap(rows) {
    const values = rows.map(({ value }) => value);
    const unit = formatType(this.metric.unit);
    const y = {
      field: 'by',
      type: 'ordinal',
      title: this.sweep.keys[this.by].label,
      sort: this.values[this.by].map(({ label }) => label),
    };
    return {
      data: { values: rows },
      height: { step: 26 },
      encoding: { x: this.xAxis(rows), y, tooltip: { field: 'tip' } },
      layer: [
        {
          mark: 'rect',
          encoding: {
            color: {
              field: 'value',
              type: 'quantitative',
              title: this.metric.label,
              scale: spansDecades(values) ? { type: 'log' } : {},
              legend: { ...unit, gradientLength: 220 },
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
}

export function metricSection(sweep) {
  if (!sweep.points.some((point) => isNumber(point.metric)) || !sweep.keys.length) return null;
  const view = new MetricChart(sweep);
  return section('What it takes', 2, view.controls, view.chart.element);
}
