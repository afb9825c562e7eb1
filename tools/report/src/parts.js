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
