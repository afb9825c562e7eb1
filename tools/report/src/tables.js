// Tables of numbers, plain or with sorting and a filter.
import { button, checkbox, el, newId, scrollBox } from './dom.js';
import { exactly, isNumber, plural } from './format.js';

const kRowsAtOnce = 500;
const kLongRows = 40; // of a table that gets a box of its own height
const kFewRows = 24; // that need no filter

// Columns are {label, value(row), text(value, row), unit, left, title(row), mark(row), words}: `value` is what sorts
// rows, `text` what people read, `mark` a class, `unit` a text or what one is of a row; `words` may be broken into
// lines. A row of {alike: [row]} stands for those: numbers that differ are told from the smallest to the largest.
function cell(column, row, index) {
  const value = column.value(row);
  const attributes = {
    class: [column.left ? 'left' : 'number', column.words ? 'words' : '', column.mark?.(row)]
      .filter(Boolean)
      .join(' '),
    'data-key': column.key,
    ...content(column, row, value),
  };
  const { text, ...rest } = attributes;
  return index === 0 ? el('th', { scope: 'row', ...rest }, text) : el('td', rest, text);
}

function content(column, row, value) {
  const textOf = (one, of) => (column.text ? column.text(one, of) : (one ?? '-'));
  const unit = typeof column.unit === 'function' ? column.unit(row) : column.unit;
  const exact = (number) => (isNumber(number) ? exactly(number, unit) : null);
  if (row.alike && isNumber(value)) {
    const [least, most] = extremes(column, row.alike);
    const [from, to] = [textOf(least.value, least.row), textOf(most.value, most.row)];
    if (least.value !== most.value)
      return {
        text: from === to ? from : `${from}..${to}`,
        title: `${exact(least.value)} to ${exact(most.value)}`,
        'data-least': least.value,
        'data-most': most.value,
      };
  }
  return { text: textOf(value, row), title: column.title?.(row) ?? exact(value), 'data-value': value };
}

function extremes(column, rows) {
  let [least, most] = [null, null];
  for (const row of rows) {
    const value = column.value(row);
    if (!isNumber(value)) continue;
    if (!least || value < least.value) least = { value, row };
    if (!most || value > most.value) most = { value, row };
  }
  return [least, most];
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
  const box = scrollBox(
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
  box.classList.toggle('long', rows.length > kLongRows);
  return box;
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

const textsOf = (columns, row) =>
  columns.map((column) => {
    const value = column.value(row);
    return String(column.text ? column.text(value, row) : (value ?? '')).toLowerCase();
  });

const holdsAll = (columns, words) => (row) => {
  const text = textsOf(columns, row).join(' ');
  return words.every((word) => text.includes(word));
};

// "T: 4": rows with a cell that holds it as it is; if there are none, those that hold all its words somewhere, of
// which some may be in quotes.
function matching(columns, rows, typed) {
  const phrase = typed.trim().toLowerCase();
  if (!phrase) return [...rows];
  const exact = rows.filter((row) => textsOf(columns, row).some((text) => text.includes(phrase)));
  if (exact.length) return exact;
  const words = [...phrase.matchAll(/"([^"]*)"?|[^\s"]+/g)].map(([word, quoted]) => quoted ?? word);
  return rows.filter(holdsAll(columns, words));
}

// A table whose headings sort it, with a box that keeps the rows that hold what is typed into it. `fold(rows)`: the
// same with one row for those that are alike, {alike}, which it shows until a box is unticked.
export class SortedTable {
  constructor(caption, columns, rows, options = {}) {
    const { filter: filtered = rows.length > kFewRows, fold, atOnce = kRowsAtOnce, ...looks } = options;
    const folded = fold?.(rows) ?? rows;
    Object.assign(this, { columns, rows: folded, looks, by: null, down: false, typed: '', most: atOnce });
    this.headings = columns.map((column) => this.heading(column));
    this.body = el('tbody');
    this.status = el('span', { class: 'hint', role: 'status' });
    this.more = button('Show more rows', () => this.showMore());
    this.box = scrollBox(
      caption,
      el('table', {}, el('caption', {}, caption), el('thead', {}, el('tr', {}, this.headings)), this.body),
    );
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
        ? el(
            'div',
            { class: 'controls' },
            el('label', { class: 'control', for: id }, 'Filter'),
            filter,
            folded.length < rows.length
              ? checkbox('rows that are alike as one', true, (isFolded) => this.replaceRows(isFolded ? folded : rows))
              : null,
            this.status,
          )
        : '',
      this.box,
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

  replaceRows(rows) {
    this.rows = rows;
    this.show();
  }

  filter(text) {
    this.typed = text;
    this.show();
  }

  showMore() {
    this.most *= 4;
    this.show();
  }

  show() {
    let rows = matching(this.columns, this.rows, this.typed);
    if (this.by) rows.sort(inOrder(this.by, this.down));
    const all = rows.length;
    rows = rows.slice(0, this.most);
    this.body.replaceChildren(...body(this.columns, rows, this.looks));
    this.box.classList.toggle('long', rows.length > kLongRows);
    this.more.hidden = rows.length === all;
    const cut = rows.length < all ? `, the first ${rows.length} shown` : '';
    this.status.textContent = `${all} of ${plural(this.rows.length, 'row')}${cut}`;
  }
}
