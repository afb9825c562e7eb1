// Warnings of a sweep's points: those alike, such as one about each slice, as one.
import { el } from './dom.js';

const kCount = / \((\d+) of (\d+) points\)$/;
const kMostNamed = 4;

function parse(note) {
  const found = kCount.exec(note);
  if (!found) return { text: note, like: note };
  const text = note.slice(0, found.index);
  return { text, like: text.replace(/\d+(\.\d+)?/g, '#'), points: Number(found[1]), of: Number(found[2]) };
}

// "a slice of 1x8x8 or 4x4x8 is larger": what differs is named where it is a single word.
function summary(texts) {
  const words = texts.map((text) => text.split(' '));
  const differing = words[0].map((word, i) => i).filter((i) => words.some((other) => other[i] !== words[0][i]));
  if (differing.length !== 1) return `${texts[0]}; and ${texts.length - 1} like this`;
  const [at] = differing;
  const named = [...new Set(words.map((other) => other[at].replace(/[,;:]$/, '')))];
  const shown = kMostNamed - 1;
  const few = named.length > kMostNamed ? [...named.slice(0, shown), `${named.length - shown} others`] : named;
  const end = /[,;:]$/.exec(words[0][at])?.[0] ?? '';
  const list = `${few.slice(0, -1).join(', ')} or ${few.at(-1)}${end}`;
  return [...words[0].slice(0, at), list, ...words[0].slice(at + 1)].join(' ');
}

function groupNote(notes) {
  if (notes.length === 1) return { text: notes[0].note };
  const { of } = notes[0];
  const points = notes.reduce((sum, note) => sum + note.points, 0);
  // A point may have several of them.
  const count = points <= of ? `${points} of ${of} points` : `most of ${of} points`;
  return { text: `${count}: ${summary(notes.map(({ text }) => text))}`, each: notes.map(({ note }) => note) };
}

export function gathered(notes) {
  const groups = new Map();
  for (const note of notes) {
    const { like, ...parsed } = parse(note);
    groups.set(like, [...(groups.get(like) ?? []), { note, ...parsed }]);
  }
  return [...groups.values()].map(groupNote);
}

export function sweepNotes(notes) {
  if (!notes.length) return null;
  const items = gathered(notes).map(({ text, each }) => {
    if (!each) return el('li', {}, text);
    const lines = each.map((note) => el('li', {}, note));
    const all = el('ul', {}, lines);
    return el('li', {}, el('details', {}, el('summary', {}, text), all));
  });
  return el('ul', { class: 'notes' }, items);
}
