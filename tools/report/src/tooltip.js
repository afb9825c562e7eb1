// One box that follows the pointer, for charts, timelines and fabrics alike.
import { el } from './dom.js';

let box = null;

function place(x, y) {
  const margin = 12;
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = x + margin + width > window.innerWidth ? x - margin - width : x + margin;
  const top = y + margin + height > window.innerHeight ? y - margin - height : y + margin;
  box.style.left = `${Math.max(4, Math.min(left, window.innerWidth - width - 4))}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

// `rows` are [name, value] pairs, or lines by themselves; x and y are of the viewport.
export function showTip(x, y, rows) {
  if (!box) {
    box = el('div', { class: 'tip', role: 'tooltip' });
    document.body.append(box);
  }
  box.replaceChildren(
    ...rows.map((row) =>
      Array.isArray(row)
        ? el('div', {}, el('span', { class: 'tip-name' }, row[0]), el('span', {}, row[1]))
        : el('div', { class: 'tip-title' }, row),
    ),
  );
  box.hidden = false;
  place(x, y);
}

export function hideTip() {
  if (box) box.hidden = true;
}
