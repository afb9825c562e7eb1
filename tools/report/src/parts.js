// Parts that several pages have.
import { el } from './dom.js';
import { exactly } from './format.js';

// A number worth a box of its own.
export function stat(label, text, { value, unit, note } = {}) {
  return el(
    'div',
    { class: 'stat' },
    el('dt', {}, label),
    el('dd', { 'data-stat': label, 'data-value': value, title: exactly(value, unit) }, text),
    note ? el('dd', { class: 'hint' }, note) : null,
  );
}

// In rows of as many as each other, nearly: of 9, 5 and 4 where 8 have room.
export function statsList(boxes) {
  const shown = boxes.filter(Boolean);
  const across = (most) => Math.ceil(shown.length / Math.ceil(shown.length / most));
  return el('dl', { class: 'stats even', style: `--wide: ${across(8)}; --narrow: ${across(4)}` }, shown);
}

export function notesList(notes) {
  return notes.length
    ? el(
        'ul',
        { class: 'notes' },
        notes.map((note) => el('li', {}, note)),
      )
    : null;
}

// "slice 4x4x4, bytes 1 MiB": what sets a sweep's point apart.
export const nameOf = (point, keys) => keys.map((key, i) => `${key.label} ${point.labels[i]}`).join(', ');
