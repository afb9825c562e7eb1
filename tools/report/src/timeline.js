// A run's timeline, on a canvas: for every chip shown a band of lanes, above them the critical path.
import { button, checkbox, el, hint, section } from './dom.js';
import { formatTime, plural, shorten } from './format.js';
import { kindColor, onThemeChange, stepTints, variable } from './theme.js';
import { addGestures } from './timeline_gestures.js';
import { makeRows } from './timeline_rows.js';
import { hideTip, showTip } from './tooltip.js';

const kAxisHeight = 22;
const kFewestPixels = 0.75;
const kLinkLanesAtOnce = 40;
const kLetter = 6.2; // width of one in a stretch, about

export class Timeline {
  constructor({ timeline, result }) {
    Object.assign(this, { timeline, result, span: [0, result.time_s], hovered: null });
    this.links = timeline.chips.length * timeline.lanes.length <= kLinkLanesAtOnce;
    this.canvas = el('canvas', { class: 'timeline', tabindex: '0', role: 'img', 'aria-label': this.description() });
    this.numbers = stepNumbers(result.steps);
    this.rows = makeRows(timeline, result, this.links);
    addGestures(this.canvas, {
      zoom: (factor, x) => this.zoom(factor, this.timeAt(x)),
      pan: (pixels) => this.pan((pixels / this.plotWidth()) * (this.span[1] - this.span[0])),
      whole: () => this.setSpan(0, result.time_s),
      hover: (x, y, event) => this.hover(x, y, event),
      leave: () => this.leave(),
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onThemeChange(() => this.draw());
  }

  description() {
    const { chips, lanes } = this.timeline;
    return (
      `Timeline of ${plural(chips.length, 'chip')}, ${lanes.join(', ')}: ${formatTime(this.result.time_s)}. ` +
      'Arrow keys move it, plus and minus zoom, 0 shows all. The table of steps has the same times.'
    );
  }

  showLinks(links) {
    this.links = links;
    this.rows = makeRows(this.timeline, this.result, links);
    this.draw();
  }

  gutter() {
    return Math.min(112, Math.max(84, this.canvas.clientWidth * 0.18));
  }
  plotWidth() {
    return Math.max(1, this.canvas.clientWidth - this.gutter() - 1);
  }
  timeAt(x) {
    return this.span[0] + ((x - this.gutter()) / this.plotWidth()) * (this.span[1] - this.span[0]);
  }
  xAt(time) {
    return this.gutter() + ((time - this.span[0]) / (this.span[1] - this.span[0])) * this.plotWidth();
  }

  setSpan(from, to) {
    const whole = this.result.time_s;
    const length = Math.min(whole, Math.max(to - from, whole * 1e-7));
    const start = Math.min(Math.max(0, from), whole - length);
    this.span = [start, start + length];
    this.draw();
  }

  zoom(factor, about = (this.span[0] + this.span[1]) / 2) {
    const [from, to] = this.span;
    this.setSpan(about - (about - from) / factor, about + (to - about) / factor);
  }

  pan(seconds) {
    this.setSpan(this.span[0] + seconds, this.span[1] + seconds);
  }

  draw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = null;
      this.drawNow();
    });
  }

  drawNow() {
    const { canvas, rows } = this;
    const height = kAxisHeight + rows.height;
    const scale = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    const [width, tall] = [Math.round(canvas.clientWidth * scale), Math.round(height * scale)];
    if (canvas.width !== width || canvas.height !== tall) Object.assign(canvas, { width, height: tall });
    const context = canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, canvas.clientWidth, height);
    context.font = `11px ${variable('font')}`;
    context.textBaseline = 'middle';
    this.tints = stepTints();
    this.drawAxis(context, height);
    for (const row of rows.rows) this.drawRow(context, row);
  }

  drawAxis(context, height) {
    const [from, to] = this.span;
    const step = tickStep((to - from) / Math.max(2, this.plotWidth() / 90));
    context.fillStyle = variable('faint');
    context.textAlign = 'center';
    for (let tick = Math.ceil(from / step); tick * step <= to; tick += 1) {
      const x = Math.round(this.xAt(tick * step)) + 0.5;
      context.strokeStyle = variable('grid');
      context.beginPath();
      context.moveTo(x, kAxisHeight - 4);
      context.lineTo(x, height);
      context.stroke();
      const text = formatTime(Number((tick * step).toPrecision(12)));
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(Math.max(x, half), this.canvas.clientWidth - half), 9);
    }
  }

  drawRow(context, row) {
    const top = kAxisHeight + row.top;
    if (row.begins) {
      context.strokeStyle = variable('line');
      context.beginPath();
      context.moveTo(0, top - 3.5);
      context.lineTo(this.canvas.clientWidth, top - 3.5);
      context.stroke();
    }
    this.drawLabels(context, row, top);
    context.save();
    context.beginPath();
    context.rect(this.gutter(), top, this.plotWidth(), row.height);
    context.clip();
    for (const stretch of row.stretches) this.drawStretch(context, row, stretch, top);
    context.restore();
  }

  drawLabels(context, row, top) {
    const gutter = this.gutter() - 6;
    context.textAlign = 'left';
    context.fillStyle = variable('text');
    if (row.name) context.fillText(row.name, 2, top + row.height / 2);
    context.fillStyle = variable('faint');
    if (row.why) context.fillText(row.why, 10 + context.measureText(row.name).width, top + row.height / 2);
    context.textAlign = 'right';
    if (row.lane) context.fillText(row.lane, gutter, top + row.height / 2, gutter - 2);
  }

  drawStretch(context, row, stretch, top) {
    const [from, to] = [this.xAt(stretch.start), this.xAt(stretch.end)];
    if (to < this.gutter() || from > this.canvas.clientWidth) return;
    const left = Math.max(from, this.gutter() - 2);
    const width = Math.max(kFewestPixels, Math.min(to, this.canvas.clientWidth + 2) - left);
    const height = row.height / row.tracks;
    const y = top + stretch.track * height;
    context.globalAlpha = this.fades(stretch) ? 0.3 : 1;
    context.fillStyle = this.colorOf(row, stretch);
    context.fillRect(left, y, width > 3 ? width - 0.5 : width, height - 0.5);
    this.drawText(context, row, stretch, { left, width, middle: y + height / 2, height });
    context.globalAlpha = 1;
  }

  // The step, in what shows one, if a few letters of it have room.
  drawText(context, row, { step }, { left, width, middle, height }) {
    const letters = Math.floor((Math.min(width, this.canvas.clientWidth - left) - 8) / kLetter);
    if (row.kind !== 'step' || step === null || height < 13 || letters < 3) return;
    context.fillStyle = variable('text');
    context.textAlign = 'left';
    context.fillText(shorten(this.result.steps[step].text, letters), left + 4, middle + 0.5, width - 6);
  }

  // Where several steps were drawn as one, there is none to colour by.
  colorOf(row, { step, kind }) {
    if (row.kind !== 'step') return kindColor(kind ?? row.kind);
    if (step === null) return variable('faint');
    const tints = row.lane === 'compute' ? this.tints.compute : this.tints.communication;
    return tints[this.numbers[step] % tints.length];
  }

  fades({ step }) {
    return this.hovered !== null && step !== null && step !== this.hovered;
  }

  find(x, y) {
    const row = this.rows.rows.find(({ top, height }) => y >= kAxisHeight + top && y < kAxisHeight + top + height);
    if (!row || x < this.gutter()) return null;
    const slack = (2 / this.plotWidth()) * (this.span[1] - this.span[0]);
    const [time, track] = [this.timeAt(x), Math.floor(((y - kAxisHeight - row.top) / row.height) * row.tracks)];
    const inside = (stretch, by) => stretch.track === track && time >= stretch.start - by && time <= stretch.end + by;
    const stretch = row.stretches.find((one) => inside(one, 0)) ?? row.stretches.find((one) => inside(one, slack));
    return stretch ? { row, stretch } : null;
  }

  hover(x, y, event) {
    const found = this.find(x, y);
    if (!found) return this.leave();
    const { row, stretch } = found;
    const step = this.result.steps[stretch.step];
    showTip(event.clientX, event.clientY, [
      ...(step ? [`${step.program}  ${step.text}`] : row.kind === 'step' ? ['several steps'] : []),
      ...(stretch.notes ?? []),
      ['what', `${row.chip}, ${stretch.kind ?? row.lane}`],
      ['from', formatTime(stretch.start)],
      ['to', formatTime(stretch.end)],
      ['takes', formatTime(stretch.end - stretch.start)],
    ]);
    return this.emphasize(stretch.step);
  }

  leave() {
    hideTip();
    this.emphasize(null);
  }

  emphasize(step) {
    if (this.hovered === step) return;
    this.hovered = step;
    this.draw();
  }
}

// 1, 2 or 5 times a power of ten, not below `least`.
function tickStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
}

// Which of the tints: steps of the same text have the same one, as those of a stack of layers; of those that compute
// and those that communicate each in turn.
function stepNumbers(steps) {
  const seen = [new Map(), new Map()];
  return steps.map(({ text, comm_s: communication }) => {
    const numbers = seen[Number(communication > 0)];
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text);
  });
}

function chipsHint({ chips, left_out: leftOut, resolution_s: resolution }) {
  const rest = leftOut ? ` ${plural(leftOut, 'chip')} more ${leftOut === 1 ? 'is' : 'are'} left out.` : '';
  const closed = resolution > 0 ? ` Gaps shorter than ${formatTime(resolution)} are closed.` : '';
  return hint(`${plural(chips.length, 'chip')} shown.${rest}${closed}`);
}

const swatch = (name) => el('i', { class: 'swatch', style: `background: var(--${name})` });
const named = (kind) => el('span', {}, swatch(`kind-${kind}`), kind.replace('_', ' '));
const tints = (family, text) =>
  el('span', {}, el('span', { class: 'tints' }, [1, 2, 3, 4].map((number) => swatch(`${family}-${number}`))), text);

// Muted colours are steps, strong ones causes.
function key(rows) {
  const of = (kind) => rows.filter((row) => row.kind === kind).flatMap((row) => row.stretches);
  const causes = new Set(of('path').map(({ kind }) => kind));
  const lanes = new Set(rows.filter((row) => row.kind === 'step').map(({ lane }) => lane === 'compute'));
  return el(
    'div',
    {},
    el(
      'p',
      { class: 'key' },
      'Steps, a muted tint each:',
      lanes.has(true) ? tints('compute', 'compute') : null,
      lanes.has(false) ? tints('communication', 'communication, links') : null,
      of('exposed').length ? named('exposed') : null,
    ),
    causes.size
      ? el('p', { class: 'key' }, 'Critical path, what was waited for:', [...causes].map(named))
      : null,
  );
}

export function timelineSection(run, level) {
  const { timeline, result } = run;
  if (!timeline || !timeline.chips.length || !(result.time_s > 0)) return null;
  const view = new Timeline(run);
  const hasLinks = timeline.lanes.some((lane) => !['compute', 'communication', 'exposed'].includes(lane));
  return section(
    'Timeline',
    level,
    chipsHint(timeline),
    el(
      'div',
      { class: 'controls' },
      button('−', () => view.zoom(1 / 2), { 'aria-label': 'zoom out' }),
      button('+', () => view.zoom(2), { 'aria-label': 'zoom in' }),
      button('‹', () => view.pan(-(view.span[1] - view.span[0]) / 4), { 'aria-label': 'earlier' }),
      button('›', () => view.pan((view.span[1] - view.span[0]) / 4), { 'aria-label': 'later' }),
      button('all', () => view.setSpan(0, result.time_s), { 'aria-label': 'show the whole run' }),
      hasLinks ? checkbox('links', view.links, (links) => view.showLinks(links)) : null,
      hint('Drag to move, ctrl and wheel or pinch to zoom.'),
    ),
    key(view.rows.rows),
    view.canvas,
  );
}
