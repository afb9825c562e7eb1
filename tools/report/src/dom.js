// Elements. Text goes into text nodes only: what a scenario names can never become markup.

const kSvg = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.replace(/^on/, ''), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(kSvg, tag), attributes, children);

let identifiers = 0;
export const newId = (prefix) => `${prefix}-${(identifiers += 1)}`;

// A part of the page with its heading; `level` as of h1 to h6.
export function section(title, level, ...children) {
  const id = newId('section');
  return el('section', { 'aria-labelledby': id }, el(`h${level}`, { id }, title), children);
}

export const hint = (...children) => el('p', { class: 'hint' }, ...children);

export const scrollBox = (label, ...children) =>
  el('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': label }, ...children);

export const details = (summary, ...children) => el('details', {}, el('summary', {}, summary), ...children);

// A labelled choice; `choose` is told the chosen value, one of `options` ({value, label}).
export function select(label, options, chosen, choose) {
  const id = newId('select');
  const menu = el('select', { id, onchange: () => choose(options[menu.selectedIndex].value) });
  for (const { value, label: text } of options) menu.append(el('option', { selected: value === chosen }, text));
  return el('span', { class: 'control' }, el('label', { for: id }, label), menu);
}

export function checkbox(label, checked, change) {
  const box = el('input', { type: 'checkbox', checked, onchange: () => change(box.checked) });
  return el('label', { class: 'control' }, box, el('span', {}, label));
}

export const button = (label, press, attributes = {}) =>
  el('button', { type: 'button', onclick: press, ...attributes }, label);
