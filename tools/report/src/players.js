// Chunk players, one a collective step.
import { el, section, select } from './dom.js';
import { showPlayer } from './player.js';
import { formatTime } from './format.js';

const label = ({ step, title, algorithm, time_s: time }, numbered) =>
  `${numbered ? `${step + 1}: ` : ''}${title}${algorithm ? `, ${algorithm}` : ''}, ${formatTime(time)}`;

export function playersSection(players, level) {
  if (!players?.length) return null;
  const place = el('div', { class: 'player-place' });
  const show = (index) => {
    place.replaceChildren();
    showPlayer(place, players[index]);
  };
  const steps = new Set(players.map(({ step }) => step)).size > 1; // or else each of a run of its own: rows
  const options = players.map((player, value) => ({ value, label: label(player, steps) }));
  const part = section(
    'Every chunk on its way',
    level,
    options.length > 1
      ? el('div', { class: 'controls' }, select(steps ? 'step' : 'operation', options, 0, show))
      : null,
    place,
  );
  show(0);
  return part;
}
