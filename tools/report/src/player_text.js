// The player in words: what a step does, what a cell holds, where data went. Pure: no page.
import { formatBytes, formatTime, plural } from './format.js';

const kMostNamed = 3;
const kMostLegs = 4;
const kSubscripts = '₀₁₂₃₄₅₆₇₈₉';

export const subscript = (number) => String(number).replace(/\d/g, (digit) => kSubscripts[digit]);

// Of a position: A to Z, then its number.
export const letter = (position) => (position < 26 ? String.fromCharCode(65 + position) : `${position}`);

export const nameOf = (state, actor) => {
  const { name, chip } = state.player.actors[actor];
  return chip ? `chip ${name}` : name;
};

const chipAt = (state, actor, position) =>
  state.player.actors[state.player.groups[state.player.actors[actor].group][position]].name;

// Whose contributions: "(0), (1) and (3)", or "all 4 chips".
export function contributors(state, actor, positions) {
  if (positions.length === 0) return 'nobody';
  if (state.sums && positions.length === state.groupSize) return `all ${state.groupSize} chips`;
  const names = positions.map((position) => chipAt(state, actor, position));
  if (names.length === 1) return names[0];
  const most = 16;
  if (names.length > most) return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

// "shard 2", "piece 5", "the block from (0) to (3)", "the array of (1)".
export function atomText(state, actor, atom) {
  const { atoms, slots } = state.player;
  const piece = slots.pieces > 1 ? `, piece ${atoms.piece[atom]}` : '';
  switch (slots.kind) {
    case 'block':
      return (
        `the block from ${chipAt(state, actor, atoms.origin[atom])} to ${chipAt(state, actor, atoms.shard[atom])}` +
        piece
      );
    case 'array':
      return `the array of ${chipAt(state, actor, atoms.origin[atom])}` + piece;
    case 'piece':
      return `piece ${atom}`;
    default:
      return `shard ${atoms.shard[atom]}${piece}`;
  }
}

// Atoms of one message: "shard 2", "shards 0 to 3", "8 blocks".
function cargo(state, actor, atoms) {
  if (atoms.length === 1) return atomText(state, actor, atoms[0]);
  const {
    slots,
    atoms: { shard, origin },
  } = state.player;
  const columns = [...new Set(Array.from(atoms, (atom) => (slots.kind === 'array' ? origin[atom] : shard[atom])))];
  if (slots.kind === 'block')
    return plural(atoms.length, slots.pieces > 1 ? 'piece' : 'block') + (slots.pieces > 1 ? ' of blocks' : '');
  if (slots.kind === 'array')
    return `${plural(atoms.length, 'piece')} of the array of ${chipAt(state, actor, columns[0])}`;
  if (slots.kind === 'piece') return `pieces ${Math.min(...atoms)} to ${Math.max(...atoms)}`;
  if (columns.length === 1) return `shard ${columns[0]}`;
  const [least, most] = [Math.min(...columns), Math.max(...columns)];
  return most - least === columns.length - 1 ? `shards ${least} to ${most}` : `${columns.length} shards`;
}

function listed(names, most = 3) {
  if (names.length === 1) return names[0];
  if (names.length > most) return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} more`;
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

// Messages of one step by what they say: same data to one receiver, same data from one sender, or one by itself.
function gathered(state, first, end) {
  const { from, to, chunk } = state.player.messages;
  const by = (ends) => {
    const found = new Map();
    for (let m = first; m < end; m += 1) {
      const key = `${ends[m]} ${chunk[m]}`;
      (found.get(key) ?? found.set(key, []).get(key)).push(m);
    }
    return found;
  };
  const [taken, sent] = [by(to), by(from)];
  const said = new Set();
  const all = [];
  for (let m = first; m < end; m += 1) {
    if (said.has(m)) continue;
    const together = taken.get(`${to[m]} ${chunk[m]}`);
    const apart = sent.get(`${from[m]} ${chunk[m]}`).filter((other) => !said.has(other));
    const messages = together.length > 1 ? together : apart;
    messages.forEach((other) => said.add(other));
    all.push(messages);
  }
  return all;
}

// Messages that have their receiver in common, or else their sender, as they are taken in.
function messagesText(state, group) {
  const { messages, times_s: times } = state.player;
  const [m] = group;
  const atoms = state.atomsOf(m);
  const to = messages.to[m];
  const names = (ends) => listed([...new Set(group.map((one) => ends[one]))].map((actor) => nameOf(state, actor)));
  const what = cargo(state, state.player.actors[to].chip ? to : messages.from[m], atoms);
  const many = group.some((one) => messages.to[one] !== to);
  let text = `${names(messages.to)} ${many ? 'receive' : 'receives'} ${what} from ${names(messages.from)}`;
  if (state.sums) {
    const after = state.cells.count[state.cell(to, atoms[0])];
    text += after === state.groupSize ? `, now the sum of all ${after}` : `, now a sum of ${after}`;
  }
  const waited = times[messages.taken[m]] - times[messages.delivered[m]];
  return waited > 0 ? `${text} (it had been there for ${formatTime(waited)})` : text;
}

const instant = (state, step) => formatTime(Math.max(0, state.timeOf(step)));

// Of the step the state is at.
export function stepText(state) {
  const step = state.position;
  const [first, end] = state.messagesOf(step);
  const lead = `step ${step} of ${state.steps}, ${instant(state, step)}`;
  if (step === 0) return `${lead}: the start`;
  const groups = gathered(state, first, end);
  const named = groups.slice(0, kMostNamed).map((group) => messagesText(state, group));
  const more = groups.slice(kMostNamed).flat().length;
  return `${lead}: ${named.join('; ')}${more > 0 ? `; and ${plural(more, 'more message')}` : ''}`;
}

// Lines of a tooltip; `of` pieces are drawn as this one.
export function cellText(state, actor, atom, of = 1) {
  const at = state.cell(actor, atom);
  const positions = state.cells.positions(at);
  const lines = [`${atomText(state, actor, atom)} on ${nameOf(state, actor)}`];
  if (state.isEmpty(at)) return [...lines, 'not here'];
  if (state.sums) {
    lines.push(`sum of ${state.cells.count[at]} of ${state.groupSize}: ${contributors(state, actor, positions)}`);
    if (state.cells.count[at] > positions.length) lines.push('something was added twice');
  } else {
    lines.push(`from ${contributors(state, actor, positions)}`);
  }
  if (state.cells.spent[at])
    lines.push(state.sums ? 'sent on: its sum goes on elsewhere' : 'passed on, not for here');
  if (of > 1) lines.push(`drawn here for ${of} pieces`);
  return lines;
}

// Of many the one way that is drawn out, next to the cell.
function legs(state, messages, main, nearest) {
  const { actors, messages: all } = state.player;
  const some = messages.length > kMostLegs ? nearest(messages.filter((m) => main.includes(m))) : messages;
  const said = some.map((m) => `${actors[all.from[m]].name} to ${actors[all.to[m]].name} in step ${state.stepOf[m]}`);
  const more = messages.length - said.length;
  return said.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

// A followed cell: where its data came from and goes.
export function followText(state, path) {
  const { actor, atom, came, goes, step, main } = path;
  const parts = [`following ${atomText(state, actor, atom)} on ${nameOf(state, actor)} as of step ${step}`];
  const [last, first] = [(all) => all.slice(-kMostLegs), (all) => all.slice(0, kMostLegs)];
  parts.push(came.length ? `it came ${legs(state, came, main, last)}` : 'it was there at the start');
  parts.push(goes.length ? `it goes ${legs(state, goes, main, first)}` : 'it goes nowhere else');
  return parts.join('; ');
}

export const promiseText = (state) => {
  const { operation, title } = state.player;
  const what = title.split(' over ')[0];
  const { finallyMissing: missing } = state;
  if (!state.player.complete) return `the run was stopped before ${what} had ended`;
  if (missing) {
    const atom = atomText(state, missing.actor, missing.atom);
    return `${nameOf(state, missing.actor)} lacks ${atom} that ${what} promises`;
  }
  const by =
    {
      all_reduce: 'every chip ends with the sum of all',
      reduce_scatter: 'every chip ends with its shard of the sum of all',
      reduce: 'the root ends with the sum of all',
      all_gather: 'every chip ends with every shard',
      gather: 'the root ends with every shard',
      scatter: 'every chip ends with its shard',
      broadcast: 'every chip ends with the whole array',
      all_to_all: 'every block ends on the chip it is for',
    }[operation] ?? 'every array ends where it was sent';
  return `as ${what} promises, ${by}${state.sums ? ', and nothing counts twice' : ''}`;
};

export const headline = ({ operation, algorithm, bytes, time_s: time }) =>
  `${operation}, ${algorithm}, ${formatBytes(bytes)} in ${formatTime(time)}`;
