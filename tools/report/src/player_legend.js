// What the player shows, in words and samples.
import { el } from './dom.js';
import { letter } from './player_text.js';
import { positionColors } from './player_colors.js';
import { onThemeChange } from './theme.js';

const kMostSwatches = 16;

const kLeave = new Set(['gather', 'scatter', 'collective_permute', 'send_recv']);

const kColumns = {
  shard: 'one column a shard of the array',
  piece: 'one column a piece of the array, in the order of the pipeline',
  block:
    'on a chip column d is the place of the block for chip d, until it leaves, then of the block that came from d',
  array: 'the array a chip sends, and the one it receives',
};

// Is data added up one way, and copied only the other way?
function sumsComeBack(state) {
  const { actors, messages } = state.player;
  const added = new Set();
  const copied = new Set();
  messages.op.forEach((op, m) => {
    const [from, to] = [messages.from[m], messages.to[m]];
    if (op === 1) added.add(from * actors.length + to);
    else copied.add(to * actors.length + from);
  });
  const way = (key) => (key % actors.length) * actors.length + Math.floor(key / actors.length);
  const back = (key) => added.has(key) && !added.has(way(key));
  return added.size > 0 && added.size === copied.size && [...copied].every(back);
}

const thin = ({ sums }) =>
  sums
    ? '; where they would be thin, one is drawn for several'
    : '; where they would be thin, a band stands for several, as wide as so many of them are there';

function meaning(state, layout) {
  const { slots, operation, actors } = state.player;
  const switches = actors.some(({ chip }) => !chip);
  const lines = [
    `One row a chip${switches ? ' (or a switch that reduces or multicasts)' : ''}; ${kColumns[slots.kind]}.`,
  ];
  if (state.sums) {
    lines.push(
      'A stripe is the contribution of one chip, in its colour: what a cell holds is the sum of its stripes' +
        (state.groupSize > kMostSwatches ? '; in narrow cells the higher it is filled, the more are in. ' : '. ') +
        'A frame: the sum of all. Pale: sent on, so that the sum goes on elsewhere.',
    );
  } else {
    lines.push(
      operation === 'scatter'
        ? 'Colour and subscript: the chip a shard is for.'
        : 'Colour and letter: the chip the data comes from; the subscript says which shard or piece it is.',
    );
    if (kLeave.has(operation)) lines.push('Pale: sent on, and not to stay here.');
    if (layout.passes) lines.push('In passing: what others get, to be passed on.');
  }
  if (sumsComeBack(state))
    lines.push('Sums go from chip to chip first; complete, they come back over the same links, the other way.');
  if (slots.pieces > 1 && slots.kind !== 'piece')
    lines.push(
      `A slot has ${slots.pieces} pieces, one below another, that travel by themselves${
        layout.rowHeight < slots.pieces * 5 ? thin(state) : ''
      }.`,
    );
  lines.push('Outlined: what has just arrived, and what is on its way. Click a cell to follow its data.');
  return lines.join(' ');
}

function swatches(state) {
  const { groups, actors } = state.player;
  const { fill } = positionColors(state.groupSize);
  const names = groups[0].map((actor) => actors[actor].name);
  const many = state.groupSize > kMostSwatches;
  const named = groups.length > 1 ? '' : ' ';
  if (many) {
    const bar = el('i', { class: 'player-wheel' });
    bar.style.background = `linear-gradient(90deg, ${fill.join(', ')})`;
    return el('span', {}, names[0], bar, names.at(-1));
  }
  return names.map((name, position) => {
    const swatch = el('i', { class: 'player-swatch' });
    swatch.style.background = fill[position];
    return el('span', {}, swatch, `${letter(position)}${named ? ` ${name}` : ''}`);
  });
}

export function legend(state, layout) {
  const key = el('p', { class: 'player-key' }, swatches(state));
  onThemeChange(() => key.replaceChildren(...[swatches(state)].flat()));
  const several =
    state.player.groups.length > 1
      ? `${state.player.groups.length} groups at once, one below another: in each the letters go by position. `
      : '';
  return el('div', { class: 'player-legend' }, key, el('p', { class: 'hint' }, several + meaning(state, layout)));
}
