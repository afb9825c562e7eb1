// The chunk player: one row a chip, one column a slot, step by step as the messages of the run were taken in.
//
// The element it makes has `hopsimPlayer` for tests: steps, position, playing, go(step), state(step), promise,
// following. state(step) is by actor {name, slots: [{slot, atoms: [{atom, shard, piece, origins, count}]}], passing}.
import { button, el, newId } from './dom.js';
import { formatTime } from './format.js';
import { Clock } from './player_clock.js';
import { Flights } from './player_flights.js';
import { follow } from './player_follow.js';
import { Layout } from './player_layout.js';
import { legend } from './player_legend.js';
import { Painter } from './player_paint.js';
import { PlayerState } from './player_state.js';
import { stateAt } from './player_view.js';
import { cellText, followText, headline, promiseText, stepText } from './player_text.js';
import { drawTrail } from './player_trail.js';
import { onThemeChange } from './theme.js';
import { hideTip, showTip } from './tooltip.js';

const kSpeeds = [0.25, 0.5, 1, 2, 4, 8];
const kKeys =
  'Space plays, arrows step, Home and End go to the ends, + and - set the speed, Shift with arrows chooses a ' +
  'cell and Enter follows it, Escape ends following.';

class Player {
  constructor(container, data) {
    this.state = new PlayerState(data);
    this.clock = new Clock(
      this.state.steps,
      (share) => this.above(share),
      (steps) => this.advance(steps),
    );
    this.path = null;
    this.cursor = null;
    this.pointer = null;
    this.lasts = Math.max(0, this.state.timeOf(this.state.steps));
    this.build(container, data);
    this.fitted = this.stage.clientWidth || 800;
    this.layout = new Layout(this.state, this.fitted);
    this.flights = new Flights(this.state, this.layout);
    this.legendPlace.append(legend(this.state, this.layout));
    this.painter = new Painter(this.state, this.layout, this.below, this.over);
    this.listen();
    this.changed();
    this.above(0);
  }

  build(container, data) {
    const range = newId('player-range');
    this.below = el('canvas', { class: 'player-cells', 'aria-hidden': true });
    this.over = el('canvas', { class: 'player-over', 'aria-hidden': true });
    this.stage = el('div', { class: 'player-stage' }, this.below, this.over);
    this.play = button('Play', () => this.toggle(), { class: 'player-play' });
    this.slider = el('input', {
      type: 'range',
      id: range,
      min: 0,
      max: this.state.steps,
      value: 0,
      step: 1,
      'aria-label': 'step',
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.when = el('output', { class: 'player-time', for: range });
    this.speed = el(
      'select',
      { 'aria-label': 'speed', onchange: () => this.setSpeed(kSpeeds[this.speed.selectedIndex]) },
      kSpeeds.map((speed) =>
        el('option', { value: `${speed}x`, selected: speed === 1 }, `${speed}x, ${this.clock.lasts(speed)}`),
      ),
    );
    this.words = el('p', { class: 'player-words', 'aria-live': 'polite' });
    this.trail = el('p', { class: 'player-follow', 'aria-live': 'polite', hidden: true });
    this.idle = el('p', { class: 'player-idle' }, 'Click a cell to follow its data.');
    this.promise = el('p', { class: 'player-promise' });
    this.end = button('Stop following', () => this.unfollow(), { hidden: true, class: 'player-unfollow' });
    const step = (label, text, by) => button(text, () => this.step(by), { 'aria-label': label, title: label });
    this.root = el(
      'div',
      {
        class: 'player',
        tabindex: 0,
        role: 'group',
        'aria-label': `Chunk player: ${data.title}, ${headline(data)}. ${kKeys}`,
      },
      el(
        'div',
        { class: 'player-controls' },
        step('to the start', '|◀', -Infinity),
        step('step back', '◀ step', -1),
        this.play,
        step('step forward', 'step ▶', 1),
        step('to the end', '▶|', Infinity),
        this.slider,
        this.when,
        el('label', {}, 'speed ', this.speed),
      ),
      this.words,
      el('div', { class: 'player-room' }, this.idle, this.trail, this.end),
      this.stage,
      this.promise,
      (this.legendPlace = el('div')),
      el('p', { class: 'hint' }, kKeys),
    );
    this.root.hopsimPlayer = this.forTests();
    container.append(this.root);
  }

  forTests() {
    const player = this;
    return {
      get steps() {
        return player.state.steps;
      },
      get position() {
        return player.state.position;
      },
      get playing() {
        return player.clock.playing;
      },
      get following() {
        return player.path;
      },
      get promise() {
        return { ...player.state.promise, atTheEnd: player.state.finallyMissing === null };
      },
      go: (step) => player.go(step),
      state: (step) => stateAt(player.state, player.layout, step),
      spot: (actor, column) => player.layout.slot(actor, column),
      times: () => player.state.stepTime.slice(),
    };
  }

  // --- moving ---

  go(step) {
    this.halt();
    this.move(Math.min(this.state.steps, Math.max(0, step)));
  }

  step(by) {
    this.go(this.state.position + by);
  }

  move(step) {
    this.to(step);
    this.above(0);
  }

  to(step) {
    const cells = [];
    this.state.seek(step, (cell) => cells.push(cell));
    this.painter.cells(cells);
    this.changed();
  }

  advance(steps) {
    this.to(Math.min(this.state.steps, this.state.position + steps));
    if (this.state.position < this.state.steps) return true;
    this.halt();
    this.above(0);
    return false;
  }

  toggle() {
    if (this.clock.playing) {
      this.halt();
    } else {
      if (this.state.position === this.state.steps) this.move(0);
      if (this.state.steps > 0) this.clock.start();
    }
    this.playLabel();
    this.above(0);
  }

  halt() {
    this.clock.stop();
    this.playLabel();
  }

  playLabel() {
    this.play.textContent = this.clock.playing ? 'Pause' : 'Play';
    this.words.setAttribute('aria-live', this.clock.playing ? 'off' : 'polite');
  }

  setSpeed(speed) {
    this.clock.speed = speed;
    this.speed.selectedIndex = kSpeeds.indexOf(speed);
  }

  // --- following ---

  follow(actor, atom) {
    this.halt();
    this.path = follow(this.state, actor, atom);
    this.showPath();
  }

  unfollow() {
    this.path = null;
    this.showPath();
  }

  showPath() {
    this.say(this.path ? followText(this.state, this.path) : '');
    this.end.hidden = this.path === null;
    this.above(0);
  }

  // In the room above the cells, which is there always, so that they stay where they are.
  say(text) {
    this.trail.textContent = text;
    this.trail.hidden = text === '';
    this.idle.hidden = text !== '';
  }

  // Drawn at a point of the canvas in a slot, or of what passes: {atom, of} as Painter.bandAt has it, or null.
  drawnAt({ actor, column }, x, y) {
    if (column >= 0) return this.painter.bandAt(actor, column, y);
    const { shown, w } = this.painter.inPassing(actor);
    const atom = shown[Math.floor((x - this.layout.passing(actor).x) / w)];
    return atom === undefined ? null : { atom, of: 1 };
  }

  // --- showing ---

  changed() {
    const { state } = this;
    this.slider.value = String(state.position);
    this.slider.setAttribute('aria-valuetext', `step ${state.position} of ${state.steps}`);
    const time = formatTime(Math.max(0, state.timeOf(state.position)));
    this.when.textContent = `step ${state.position} of ${state.steps} · ${time} of ${formatTime(this.lasts)}`;
    this.words.textContent = stepText(state);
    const { promised, kept } = state.promise;
    const good = state.finallyMissing === null && state.player.complete;
    const done = state.position === state.steps;
    this.promise.className = `player-promise ${good ? 'good' : 'bad'}${done ? ' done' : ''}`;
    this.promise.textContent =
      `${good ? '✓' : '✗'} ${done ? '' : 'in the end, '}${promiseText(state)}` +
      (done ? '' : ` (${kept} of ${promised} so far)`);
    this.flights.at(state.position);
    this.came = this.painter ? this.painter.slotsOf(this.arrived()) : [];
  }

  above(share) {
    const { state, painter } = this;
    if (!painter) return;
    painter.clearAbove();
    if (this.path) return drawTrail(painter, this.path);
    const now = Math.max(0, state.timeOf(state.position));
    const then = now + share * (state.timeOf(Math.min(state.steps, state.position + 1)) - now);
    painter.moving(this.flights, then, !this.clock.playing || share < 0.25 ? this.came : []);
    if (this.cursor) painter.ring(this.layout.slot(this.cursor.actor, this.cursor.column), painter.text, 2);
    return undefined;
  }

  arrived() {
    const { state } = this;
    const [first, end] = state.messagesOf(state.position);
    const { to } = state.player.messages;
    const cells = [];
    for (let m = first; m < end; m += 1) for (const atom of state.atomsOf(m)) cells.push(state.cell(to[m], atom));
    return cells;
  }

  // --- hands ---

  listen() {
    this.root.addEventListener('keydown', (event) => this.key(event));
    this.over.addEventListener('click', (event) => this.press(event));
    for (const kind of ['pointermove', 'pointerdown']) this.over.addEventListener(kind, (event) => this.hover(event));
    this.over.addEventListener('pointerleave', hideTip);
    onThemeChange(() => this.repaint());
    new ResizeObserver(() => this.fit()).observe(this.stage);
  }

  repaint() {
    if (!this.root.isConnected) return;
    this.painter.theme();
    this.changed();
    this.above(0);
  }

  fit() {
    const width = this.stage.clientWidth;
    if (!width || width === this.fitted) return;
    this.fitted = width;
    this.layout.size(width);
    this.painter.resize();
    this.changed();
    this.above(0);
  }

  // What is drawn under a point of the page: {actor, column, atom, of}; null: nothing.
  spotAt({ x, y }) {
    const box = this.over.getBoundingClientRect();
    const [right, down] = [x - box.left, y - box.top];
    const hit = this.layout.hit(right, down);
    const drawn = hit && this.drawnAt(hit, right, down);
    return drawn && { ...hit, ...drawn };
  }

  // A click is told in whole pixels, a move in parts of them: where the pointer was last is what it points at.
  press(event) {
    const { pointer } = this;
    const near = pointer && Math.hypot(pointer.x - event.clientX, pointer.y - event.clientY) < 2;
    const hit = this.spotAt(near ? pointer : { x: event.clientX, y: event.clientY });
    if (hit === null) return this.unfollow();
    this.cursor = null;
    return this.follow(hit.actor, hit.atom);
  }

  hover(event) {
    this.pointer = { x: event.clientX, y: event.clientY };
    const hit = this.spotAt(this.pointer);
    if (hit === null) return hideTip();
    return showTip(event.clientX, event.clientY, cellText(this.state, hit.actor, hit.atom, hit.of));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target === this.speed) return;
    const onButton = event.target.tagName === 'BUTTON' && [' ', 'Enter'].includes(event.key);
    const act = !onButton && ((event.shiftKey && this.cursorKeys()[event.key]) || this.keys()[event.key]);
    if (!act) return;
    event.preventDefault();
    act();
  }

  keys() {
    return {
      ' ': () => this.toggle(),
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      ArrowUp: () => this.step(-1),
      ArrowDown: () => this.step(1),
      Home: () => this.go(0),
      End: () => this.go(this.state.steps),
      '+': () => this.faster(1),
      '=': () => this.faster(1),
      '-': () => this.faster(-1),
      Escape: () => this.unfollow(),
      Enter: () => this.followCursor(),
    };
  }

  cursorKeys() {
    return {
      ArrowRight: () => this.moveCursor(0, 1),
      ArrowLeft: () => this.moveCursor(0, -1),
      ArrowUp: () => this.moveCursor(-1, 0),
      ArrowDown: () => this.moveCursor(1, 0),
    };
  }

  faster(by) {
    const at = kSpeeds.indexOf(this.clock.speed) + by;
    if (kSpeeds[at]) this.setSpeed(kSpeeds[at]);
  }

  moveCursor(down, right) {
    const { rows, columns } = this.layout;
    const { actor, column } = this.cursor ?? { actor: rows[0], column: 0 };
    const within = (value, size) => Math.min(size - 1, Math.max(0, value));
    const moved = this.cursor ? [rows.indexOf(actor) + down, column + right] : [0, 0];
    this.cursor = { actor: rows[within(moved[0], rows.length)], column: within(moved[1], columns) };
    this.path = null;
    this.showPath();
    const at = this.cursorAt();
    this.say(at ? cellText(this.state, this.cursor.actor, at.atom, at.of).join('; ') : 'an empty cell');
  }

  cursorAt() {
    return this.drawnAt(this.cursor, 0, this.layout.slot(this.cursor.actor, this.cursor.column).y);
  }

  followCursor() {
    const at = this.cursor ? this.cursorAt() : null;
    if (at) this.follow(this.cursor.actor, at.atom);
  }
}

export function showPlayer(container, player) {
  return new Player(container, player).root;
}
