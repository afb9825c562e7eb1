// How busy every link of a machine was, drawn on the machine itself; and the busiest of them.
import { chart } from './charts.js';
import { el, hint, section, svg } from './dom.js';
import { layOut, linksOf } from './fabric_layout.js';
import { formatPercent, formatTime, plural } from './format.js';
import { table } from './tables.js';
import { heat, onThemeChange, variable } from './theme.js';
import { hideTip, showTip } from './tooltip.js';

const kBusiest = 12;
const kIdle = 5e-4; // a share that would be shown as 0.0 %

// Colours are of the busiest link, so that differences show where all are nearly idle.
function linkColor(share, most) {
  return share < kIdle ? variable('idle') : heat(share / most);
}

function nodeMark({ node, x, y }, { name, chip }, index) {
  const shape = chip
    ? svg('rect', { x: x - 6, y: y - 6, width: 12, height: 12, rx: 2.5, class: 'chip' })
    : svg('circle', { cx: x, cy: y, r: 8, class: 'switch' });
  return svg('g', { 'data-node': index ?? node }, shape, svg('title', {}, name));
}

function nodeLabel({ x, y, turn }, { name }, round) {
  if (!round) return svg('text', { x: x + 8, y: y + 15, class: 'node-label' }, name);
  const [dx, dy] = [Math.cos(turn), Math.sin(turn)];
  const anchor = Math.abs(dx) < 0.3 ? 'middle' : dx > 0 ? 'start' : 'end';
  return svg('text', { x: x + dx * 14, y: y + dy * 14 + 3.5, class: 'node-label', 'text-anchor': anchor }, name);
}

function labels(panel, fabric) {
  if (panel.ticks) return panel.ticks.map(({ text, x, y }) => svg('text', { x, y, class: 'node-label tick' }, text));
  if (panel.nodes.length > (panel.round ? 64 : 24)) return [];
  return panel.nodes.map((place) => nodeLabel(place, fabric.nodes[place.node], panel.round));
}

function linkMark({ link, path }, most) {
  return svg('path', {
    d: path,
    stroke: linkColor(link.share, most),
    class: link.share < kIdle ? 'link unused' : 'link',
    'data-link': link.index,
    'data-value': link.share,
  });
}

function drawPanel(panel, fabric, most) {
  const width = panel.width + (panel.round ? 60 : 0);
  const picture = svg(
    'svg',
    {
      viewBox: `${panel.round ? -30 : 0} 0 ${width.toFixed(0)} ${panel.height.toFixed(0)}`,
      role: 'img',
      style: null,
      class: 'fabric',
      width: width.toFixed(0),
      height: panel.height.toFixed(0),
      'aria-label': `How busy links are${panel.caption ? `, ${panel.caption}` : ''}; a table has the busiest`,
    },
    svg(
      'g',
      { class: 'links' },
      panel.links.map((drawn) => linkMark(drawn, most)),
    ),
    svg(
      'g',
      { class: 'nodes' },
      panel.nodes.map((place) => nodeMark(place, fabric.nodes[place.node])),
    ),
    labels(panel, fabric),
  );
  return el('figure', { class: 'panel' }, panel.caption ? el('figcaption', {}, panel.caption) : null, picture);
}

function legend(most) {
  const stops = Array.from({ length: 24 }, (_, i) => i / 23);
  const bar = svg(
    'svg',
    { viewBox: '0 0 24 1', preserveAspectRatio: 'none', class: 'ramp', 'aria-hidden': 'true' },
    stops.map((share, i) => svg('rect', { x: i, y: 0, width: 1.05, height: 1, fill: heat(share) })),
  );
  return el(
    'p',
    { class: 'key' },
    el('span', {}, el('i', { class: 'swatch idle' }), 'idle'),
    el('span', {}, '0 %', bar, formatPercent(most), ' of the time busy'),
  );
}

function addTips(place, links, fabric) {
  place.addEventListener('pointermove', (event) => {
    const index = event.target.closest?.('[data-link]')?.dataset.link;
    if (index === undefined) return hideTip();
    const { name, share, busy, from, to } = links[index];
    return showTip(event.clientX, event.clientY, [
      name,
      ['busy', `${formatPercent(share)}, ${formatTime(busy)}`],
      ['from', fabric.nodes[from].name],
      ['to', fabric.nodes[to].name],
    ]);
  });
  place.addEventListener('pointerleave', hideTip);
}

function picture(fabric, links) {
  const place = el('div', { class: 'panels', role: 'region', tabindex: '0', 'aria-label': 'Links of the machine' });
  const key = el('div');
  const most = Math.max(kIdle, ...links.map(({ share }) => share));
  const panels = layOut(fabric);
  const numbers = new Map(links.map(({ from, to, name }, index) => [`${from} ${to} ${name}`, index]));
  for (const panel of panels)
    for (const { link } of panel.links) link.index = numbers.get(`${link.from} ${link.to} ${link.name}`);
  const draw = () => {
    key.replaceChildren(legend(most));
    place.replaceChildren(...panels.map((panel) => drawPanel(panel, fabric, most)));
  };
  addTips(place, links, fabric);
  onThemeChange(draw);
  draw();
  return [key, place];
}

function histogram(links) {
  return chart('How many links are how busy', () => ({
    data: { values: links.map(({ share }) => ({ share })) },
    height: 110,
    mark: { type: 'bar', color: variable('bar') },
    encoding: {
      x: {
        field: 'share',
        type: 'quantitative',
        bin: { step: 0.05, extent: [0, 1] },
        title: 'busy, of the time',
        axis: { format: '.0%' },
      },
      y: {
        aggregate: 'count',
        type: 'quantitative',
        title: 'links',
        axis: { tickCount: 3, tickMinStep: 1, format: 'd' },
      },
      tooltip: [
        { field: 'share', bin: { step: 0.05, extent: [0, 1] }, title: 'busy', format: '.0%' },
        { aggregate: 'count', title: 'links' },
      ],
    },
  })).element;
}

const kColumns = [
  { label: 'link', left: true, value: (link) => link.name },
  { label: 'busy, of the time', key: 'utilization', value: (link) => link.share, text: formatPercent },
  { label: 'busy', unit: 's', value: (link) => link.busy ?? null, text: formatTime },
];

// `busiest`: what the result itself lists, of a run whose links are not drawn.
export function fabricSection(fabric, level, busiest = []) {
  const links = fabric ? linksOf(fabric) : [];
  const rows = links.length
    ? [...links].sort((a, b) => b.share - a.share).slice(0, kBusiest)
    : busiest.map(({ link, utilization }) => ({ name: link, share: utilization }));
  if (!rows.length) return null;
  const leftOut = fabric?.left_out ? hint(`${plural(fabric.left_out, 'link')} left out.`) : null;
  const turned = links.length
    ? hint(
        'Links go both ways, each drawn on its right-hand side; short ones lead out of the ' +
          'picture: around to the other end, or to the next plane.',
      )
    : null;
  return section(
    'Links',
    level,
    turned,
    leftOut,
    links.length ? picture(fabric, links) : null,
    el(
      'div',
      { class: 'chart-pair' },
      table('The busiest links', kColumns, rows),
      links.length > 8
        ? el('figure', {}, el('figcaption', {}, 'How many links are how busy'), histogram(links))
        : null,
    ),
  );
}
