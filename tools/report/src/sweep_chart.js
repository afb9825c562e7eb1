// A number of a sweep's points over one or two of the axes it varies, the others told apart by series or held.
import { chart } from './charts.js';
import { el, section, select } from './dom.js';
import { formatQuantity, isNumber, plural } from './format.js';
import { nameOf } from './parts.js';
import { axesOf, distinct, firstChoice, firstHeld, isDetermined, isShown, kAll } from './sweep_axes.js';
import { kNumbers, numberOf } from './sweep_numbers.js';
import { heatMap, plot } from './sweep_specs.js';

// The metric that points are ranked by, then whatever else they have.
function metricsOf({ metric, points }) {
  const others = kNumbers.filter(
    (number) => number !== numberOf(metric) && points.some((point) => point[number.key] > 0),
  );
  return [
    { ...metric, value: (point) => point.metric },
    ...others.map((number) => ({ ...number, value: (point) => point[number.key] })),
  ];
}

// Why some of `points` are not drawn, after what is.
function remark(points, drawn, counts) {
  const few = Object.entries(counts).filter(([, count]) => count > 0);
  const rest = few.map(([why, count]) => `${count} ${why}`).join(', ');
  return `${drawn} of ${plural(points, 'point')} drawn${rest ? `; ${rest}` : ''}. `;
}

class MetricChart {
  constructor(sweep) {
    this.sweep = sweep;
    this.metrics = metricsOf(sweep);
    this.metric = this.metrics[0];
    this.axes = axesOf(sweep);
    const best = sweep.points.findIndex((point) => point.best);
    this.best = Math.max(0, best);
    Object.assign(this, firstChoice(this.axes, this.best));
    this.as = 'plot';
    this.controls = el('div', { class: 'controls' });
    this.remark = el('p', { class: 'hint', 'data-points-drawn': '' });
    this.chart = chart('The chosen number over the chosen parameters', (place) => this.spec(place.clientWidth));
    this.drawControls();
  }

  set(change) {
    Object.assign(this, change);
    if (this.by && isDetermined(this.by, [this.x])) this.by = this.axes.find((axis) => !isDetermined(axis, [this.x]));
    this.by ??= null;
    if ('x' in change || 'by' in change) this.held = firstHeld(this.axes, this.x, this.by, this.best);
    this.drawControls();
    this.chart.redraw();
  }

  drawControls() {
    const choices = (axes) => axes.map((value) => ({ value, label: value.label }));
    const metrics = this.metrics.map((value) => ({ value, label: value.label }));
    const controls = [select('metric', metrics, this.metric, (metric) => this.set({ metric }))];
    const others = this.axes.filter((axis) => !isDetermined(axis, [this.x]));
    if (this.axes.length > 1) controls.push(select('along', choices(this.axes), this.x, (x) => this.set({ x })));
    if (others.length)
      controls.push(
        select('by', [...choices(others), { value: null, label: 'nothing' }], this.by, (by) => this.set({ by })),
      );
    if (this.by) {
      const looks = [
        { value: 'plot', label: this.x.numeric ? 'lines' : 'points' },
        { value: 'heat map', label: 'heat map' },
      ];
      controls.push(select('as', looks, this.as, (as) => this.set({ as })));
    }
    for (const axis of this.held.keys()) controls.push(this.holder(axis));
    const focused = [...this.controls.querySelectorAll('select')].indexOf(document.activeElement);
    this.controls.replaceChildren(...controls);
    if (focused >= 0) this.controls.querySelectorAll('select')[focused]?.focus();
  }

  holder(axis) {
    const values = axis.values.map(({ label }, value) => ({ value, label }));
    const options = [{ value: kAll, label: 'all' }, ...values];
    return select(axis.label, options, this.held.get(axis), (value) => {
      this.held.set(axis, value);
      this.set({});
    });
  }

  // The axes that series tell apart.
  seriesAxes() {
    const all = [...this.held].filter(([, value]) => value === kAll).map(([axis]) => axis);
    return this.by ? [this.by, ...all] : all;
  }

  rows() {
    const { points, keys } = this.sweep;
    const series = this.seriesAxes();
    const held = 'held back by the choices above';
    const counts = { 'did not run': 0, 'ended early': 0, 'without this number': 0, [held]: 0 };
    const rows = [];
    points.forEach((point, i) => {
      const value = this.metric.value(point);
      if (point.error) counts['did not run'] += 1;
      else if (point.partial) counts['ended early'] += 1;
      else if (!isNumber(value)) counts['without this number'] += 1;
      else if (!isShown(this.held, i)) counts[held] += 1;
      else
        rows.push({
          x: this.valueAlong(i),
          series: series.map(({ at, values }) => values[at[i]].label).join(', '),
          order: series.map(({ at }) => at[i]),
          value,
          best: Boolean(point.best),
          tip: { point: nameOf(point, keys), [this.metric.label]: formatQuantity(value, this.metric.unit) },
        });
    });
    this.tell(rows, counts);
    return rows;
  }

  isHeatMap() {
    return this.by !== null && this.as === 'heat map';
  }

  valueAlong(i) {
    const { label, number } = this.x.values[this.x.at[i]];
    return this.x.numeric && !this.isHeatMap() ? number : label;
  }

  tell(rows, counts) {
    const works = distinct(this.sweep.points.map(({ work }) => work)).length;
    const ringed = this.seriesAxes().length || this.x.numeric;
    const mark = this.isHeatMap() ? 'A diamond' : ringed ? 'A ring' : 'The other colour';
    const best = rows.some((row) => row.best) ? `${mark} marks the best${works > 1 ? ' of its work' : ''}.` : '';
    this.remark.dataset.pointsDrawn = rows.length;
    this.remark.textContent = remark(this.sweep.points.length, rows.length, counts) + best;
  }

  spec(width) {
    const rows = this.rows();
    if (!rows.length) return { data: { values: [{}] }, height: 60, mark: { type: 'text', text: 'no such points' } };
    const axes = this.seriesAxes();
    const inOrder = [...rows].sort((a, b) => a.order.map((place, i) => place - b.order[i]).find(Boolean) ?? 0);
    const look = {
      x: this.x,
      metric: this.metric,
      width,
      series: distinct(inOrder.map(({ series }) => series)),
      title: axes.map(({ label }) => label).join(', '),
    };
    return this.isHeatMap() ? heatMap(look, rows) : plot(look, rows);
  }
}

export function metricSection(sweep) {
  if (!sweep.points.some((point) => isNumber(point.metric)) || !sweep.keys.length) return null;
  const view = new MetricChart(sweep);
  return section('What it takes', 2, view.controls, view.remark, view.chart.element);
}
