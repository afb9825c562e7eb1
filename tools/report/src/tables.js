// Tables of numbers, plain or with sorting and a filter.
import { button, el, newId, scrollBox } from './dom.js';
import { exactly, isNumber, plural } from './format.js';

const kRowsAtOnce = 500;
const kFewRows = 24; // that need no filter

// Columns are {label, value(row), text(value, row), unit, left, title(row), mark(row), words}: `value` is what sorts
// rows, `text` what people read, `mark` a class; `words` may be broken into lines.
function cell(column, row, index) {
  const value = column.value(row);
  const text = column.text ? column.text(value, row) : (value ?? '-');
  const attributes = {
    class: [column.left ? 'left' : 'number', column.words ? 'words' : '', column.mark?.(row)]
      .filter(Boolean)
      .join(' '),
    title: column.title?.(row) ?? (isNumber(value) ? exactly(value, column.unit) : null),
    'data-value': value,
    'data-key': column.key,
  };
  return index === 0 ? el('th', { scope: 'row', ...attributes }, text) : el('td', attributes, text);
}

// `instead(row)`, {after, text}: what stands in place of the cells behind the first `after`.
function cells(columns, row, instead) {
  const other = instead?.(row);
  if (!other) return columns.map((column, i) => cell(column, row, i));
  const first = columns.slice(0, other.after).map((column, i) => cell(column, row, i));
  return [...first, el('td', { class: 'left words bad', colspan: columns.length - other.after }, other.text)];
}

const body = (columns, rows, { mark, instead }) =>
  rows.map((row) => el('tr', { class: mark?.(row) }, cells(columns, row, instead)));

const heading = (column, ...inside) =>
  el('th', { scope: 'col', class: column.left ? 'left' : 'number', title: column.hint }, ...inside);

export function table(caption, columns, rows, looks = {}) {
  return scrollBox(
    caption,
    el(
      'table',
      {},
      el('caption', {}, caption),
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          columns.map((column) => heading(column, column.label)),
        ),
      ),
      el('tbody', {}, body(columns, rows, looks)),
    ),
  );
}

const isMissing = (value) => value === null || value === undefined || value === '';

// Numbers by size, else as words; what is missing last, whichever way round.
function inOrder(column, down) {
  const turn = down ? -1 : 1;
  return (one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b);
    const order = isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });
    return turn * order;
  };
}

const says = (columns, row, words) => {
  const text = columns
    .map((column) => {
      const value = column.value(row);
      return column.text ? column.text(value, row) : (value ?? '');
    })
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
};

// A table whose headings sort it, with a box that keeps the rows that hold all the words in it.
export class SortedTable {
  constructor(caption, columns, rows, { filter: filtered = rows.length > kFewRows, ...looks } = {}) {
    Object.assign(this, { columns, rows, looks, by: null, down: false, words: [], most: kRowsAtOnce });
    this.headings = columns.map((column) => this.heading(column));
    this.body = el('tbody');
    this.status = el('span', { class: 'hint', role: 'status' });
    this.more = button('Show more rows', () => this.showMore());
    const id = newId('filter');
    const filter = el('input', {
      type: 'search',
      id,
      placeholder: 'such as 4x4 ring',
      oninput: () => this.filter(filter.value),
    });
    this.element = el(
      'div',
      { class: 'sorted-table' },
      filtered
        ? el('div', { class: 'controls' }, el('label', { class: 'control', for: id }, 'Filter'), filter, this.status)
        : '',
      scrollBox(
        caption,
        el('table', {}, el('caption', {}, caption), el('thead', {}, el('tr', {}, this.headings)), this.body),
      ),
      this.more,
    );
    this.show();
  }

  heading(column) {
    return heading(
      column,
      button(column.label, () => this.sort(column), { class: 'sort' }),
    );
  }

  sort(column) {
    this.down = this.by === column && !this.down;
    this.by = column;
    this.headings.forEach((head, i) => {
      if (this.columns[i] === column) head.setAttribute('aria-sort', this.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    this.show();
  }

  filter(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.show();
  }

  showMore() {
    this.most *= 4;
    this.show();
  }

  show() {
    let rows = this.words.length ? this.rows.filter((row) => says(this.columns, row, this.words)) : [...this.rows];
    if (this.by) rows.sort(inOrder(this.by, this.down));
    const all = rows.length;
    rows = rows.slice(0, this.most);
    this.body.replaceChildren(...body(this.columns, rows, this.looks));
    this.more.hidden = rows.length === all;
    const cut = rows.length < all ? `, the first ${rows.length} shown` : '';
    this.status.textContent = `${all} of ${plural(this.rows.length, 'row')}${cut}`;
  }
}
