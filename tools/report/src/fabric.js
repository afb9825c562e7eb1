// How busy every link of a machine was, drawn on the machine itself; and the busiest of them.
import { chart } from './charts.js';
import { el, hint, section, svg } from './dom.js';
import { bundled, needsBundles } from './fabric_bundles.js';
import { isGrid, layOut, linksOf } from './fabric_layout.js';
import { formatPercent, formatTime, plural } from './format.js';
import { table } from './tables.js';
import { heat, onThemeChange, variable } from './theme.js';
import { hideTip, showTip } from './tooltip.js';

const kBusiest = 12;
const kMany = 150; // links, drawn thinner
const kIdle = 5e-4; // a share that would be shown as 0.0 %

// Colours are of the busiest link, so that differences show where all are nearly idle.
function linkColor(share, most) {
  return share < kIdle ? variable('idle') : heat(share / most);
}

// Several as one are a box that is wider, or a ring about the switch.
function nodeMark({ node, x, y }, { name, chip, count = 1 }) {
  const half = count > 1 ? 9 : 6;
  const shape = chip
    ? svg('rect', { x: x - half, y: y - 6, width: 2 * half, height: 12, rx: 2.5, class: 'chip' })
    : svg('circle', { cx: x, cy: y, r: 8, class: count > 1 ? 'switch several' : 'switch' });
  return svg('g', { 'data-node': node, 'aria-label': name }, shape);
}

function roundLabel({ x, y, turn }, { name }) {
  const [dx, dy] = [Math.cos(turn), Math.sin(turn)];
  const anchor = Math.abs(dx) < 0.3 ? 'middle' : dx > 0 ? 'start' : 'end';
  return svg('text', { x: x + dx * 14, y: y + dy * 14 + 3.5, class: 'node-label', 'text-anchor': anchor }, name);
}

const label = (kind, { text, x, y }) => svg('text', { x, y, class: `node-label ${kind}` }, text);

function labels(panel, fabric) {
  if (panel.ticks) return panel.ticks.map((tick) => label('tick', tick));
  if (panel.labels) return panel.labels.map((one) => label('over', one));
  if (panel.nodes.length > 64) return [];
  return panel.nodes.map((place) => roundLabel(place, fabric.nodes[place.node]));
}

function linkMark({ link, path }, most) {
  return svg('path', {
    d: path,
    stroke: linkColor(link.share, most),
    class: link.share < kIdle ? 'link unused' : 'link',
    'data-link': link.index,
    'stroke-width': lineWidth(link),
    'data-count': link.members?.length,
    'data-value': link.share,
  });
}

// Large pictures are not made small enough for a phone, but scroll; of many lines each is thin.
function lookOf({ width, links, ticks, round }) {
  const isLayered = !ticks && !round;
  return ['fabric', isLayered && width > 560 && 'wide', isLayered && links.length > kMany && 'many']
    .filter(Boolean)
    .join(' ');
}

function drawPanel(panel, fabric, most) {
  const width = panel.width + (panel.round ? 60 : 0);
  const [left, top] = [panel.round ? -30 : (panel.left ?? 0), panel.top ?? 0];
  const picture = svg(
    'svg',
    {
      viewBox: [left, top, width, panel.height].map((number) => number.toFixed(0)).join(' '),
      role: 'img',
      class: lookOf(panel),
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

const lineWidth = ({ members }) => (members ? Math.min(5, 1.5 + Math.log2(members.length) / 2) : null);

function linkTip({ name, share, busy, from, to, members }, { nodes }) {
  const ends = [
    ['from', nodes[from].name],
    ['to', nodes[to].name],
  ];
  if (!members || members.length === 1)
    return [members?.[0].name ?? name, ['busy', `${formatPercent(share)}, ${formatTime(busy)}`], ...ends];
  const least = Math.min(...members.map((link) => link.share));
  return [`${members.length} links`, ['busy', `${formatPercent(least)} to ${formatPercent(share)}`], ...ends];
}

function nodeTip({ name, chip, count = 1 }) {
  return [name, ['what', count > 1 ? `${count} ${chip ? 'chips' : 'switches'}` : chip ? 'chip' : 'switch']];
}

function addTips(place, links, fabric) {
  place.addEventListener('pointermove', (event) => {
    const { link, node } = event.target.closest?.('[data-link], [data-node]')?.dataset ?? {};
    if (link === undefined && node === undefined) return hideTip();
    const tip = link === undefined ? nodeTip(fabric.nodes[node]) : linkTip(links[link], fabric);
    return showTip(event.clientX, event.clientY, tip);
  });
  place.addEventListener('pointerleave', hideTip);
}

function picture(fabric) {
  const links = linksOf(fabric);
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

function reading(fabric, shown) {
  if (shown !== fabric)
    return (
      'The chips of a node are drawn as one, and so are switches that join the same; the links between two such as ' +
      'one line a way, coloured by the busiest of them.'
    );
  const ways = 'Links go both ways, each drawn on its right-hand side';
  return isGrid(fabric)
    ? `${ways}; short ones lead out of the picture: around to the other end, or to the next plane.`
    : `${ways}.`;
}

// `busiest`: what the result itself lists, of a run whose links are not drawn.
export function fabricSection(fabric, level, busiest = []) {
  const links = fabric ? linksOf(fabric) : [];
  const rows = links.length
    ? [...links].sort((a, b) => b.share - a.share).slice(0, kBusiest)
    : busiest.map(({ link, utilization }) => ({ name: link, share: utilization }));
  if (!rows.length) return null;
  const leftOut = fabric?.left_out ? hint(`${plural(fabric.left_out, 'link')} left out.`) : null;
  const shown = fabric && !isGrid(fabric) && needsBundles(fabric) ? bundled(fabric) : fabric;
  return section(
    'Links',
    level,
    links.length ? hint(reading(fabric, shown)) : null,
    leftOut,
    links.length ? picture(shown) : null,
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
