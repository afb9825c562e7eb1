// The page of `hopsim run`: a part for every scenario.
import { details, el, hint, section } from './dom.js';
import { fabricSection } from './fabric.js';
import { formatBytes, formatPercent, formatRatio, formatTime, plural } from './format.js';
import { outcomes } from './outcomes.js';
import { notesList, stat, statsList } from './parts.js';
import { pathSection } from './path.js';
import { playersSection } from './players.js';
import { stepsSection } from './steps.js';
import { table } from './tables.js';
import { timelineSection } from './timeline.js';
import { timeChart } from './totals.js';

const timeStat = (label, seconds, note) => stat(label, formatTime(seconds), { value: seconds, unit: 's', note });
const shareStat = (label, share, note) => stat(label, formatPercent(share), { value: share, note });

function stats(result) {
  const busiest = result.links.busiest[0];
  const overlaps = !result.partial && result.sum_s > result.bound_s;
  const memory = result.memory.peak_bytes_per_chip;
  return statsList([
    timeStat(
      result.partial ? 'time so far' : 'time',
      result.time_s,
      overlaps ? `time/max ${formatRatio(result.over_bound)}, time/sum ${formatRatio(result.over_sum)}` : null,
    ),
    timeStat('compute', result.compute_s, 'the chip that computes longest'),
    timeStat('communication', result.comm_s, 'the chip that communicates longest'),
    timeStat('exposed', result.exposed_comm_s, 'communication beside no compute'),
    shareStat('hidden', result.overlap, 'of the communication'),
    result.mfu === null ? null : shareStat('MFU', result.mfu, 'model FLOPs of the peak'),
    memory ? stat('memory', formatBytes(memory), { value: memory, unit: 'B', note: 'at most, on a chip' }) : null,
    busiest ? shareStat('busiest link', busiest.utilization, busiest.link) : null,
    shareStat('all links', result.links.mean_utilization, 'busy, on average'),
  ]);
}

function partialBanner({ partial, stopped, steps }) {
  if (!partial) return null;
  const [ended, idle] = [steps.filter((step) => step.finished), steps.filter((step) => !step.started)];
  const by = stopped.reason === 'max_time' ? '--max-time' : '--max-events';
  return el(
    'p',
    { class: 'banner', role: 'note' },
    el('strong', {}, 'Partial result. '),
    `Stopped after ${plural(stopped.events, 'event')} at ${formatTime(stopped.time_s)} (${by}); of ` +
      `${plural(steps.length, 'step')} ${ended.length} had ended, ${idle.length} had not begun.`,
  );
}

function ranOn(run) {
  const { engine, folded, fingerprint, verified, version } = run.result;
  const facts = [
    engine === 'event' ? 'hopsim’s own engine' : `engine ${engine}`,
    folded ? 'one chip simulated for all, by symmetry' : null,
    verified ? 'data flow proven: every chip ends with every contribution exactly once' : null,
    `hopsim ${version}`,
    `fingerprint ${fingerprint}`,
  ];
  return [el('p', { class: 'machine' }, run.machine), hint(facts.filter(Boolean).join(' · '))];
}

function memorySection({ memory }, level) {
  if (!memory.arrays.length) return null;
  const columns = [
    { label: 'array', left: true, value: (array) => array.sharding },
    { label: 'a chip holds', left: true, value: (array) => `[${array.local_shape.join(', ')}]` },
    { label: 'bytes a chip', unit: 'B', value: (array) => array.bytes_per_chip, text: formatBytes },
    { label: 'in all', unit: 'B', value: (array) => array.total_bytes, text: formatBytes },
    { label: 'copies', value: (array) => array.copies },
  ];
  return section(
    'Memory',
    level,
    hint(`${formatBytes(memory.peak_bytes_per_chip)} a chip at most.`),
    details(plural(memory.arrays.length, 'array'), table('Arrays', columns, memory.arrays)),
  );
}

function runParts(run, level) {
  const { result } = run;
  return [
    ranOn(run),
    partialBanner(result),
    notesList([...result.warnings, ...run.notes]),
    stats(result),
    result.steps.length ? timeChart(result) : hint('A run with no steps: there is nothing to show.'),
    outcomes(result, level),
    stepsSection(result, level),
    timelineSection(run, level),
    pathSection(result, level),
    fabricSection(run.fabric, level, result.links.busiest),
    playersSection(run.players, level),
    memorySection(result, level),
  ];
}

function overview(runs, ids) {
  const columns = [
    {
      label: 'scenario',
      left: true,
      value: (run) => run.result.scenario,
      text: (name, run) => el('a', { href: `#${ids[runs.indexOf(run)]}` }, name),
    },
    { label: 'time', key: 'time_s', unit: 's', value: (run) => run.result.time_s, text: formatTime },
    { label: 'compute', unit: 's', value: (run) => run.result.compute_s, text: formatTime },
    { label: 'communication', unit: 's', value: (run) => run.result.comm_s, text: formatTime },
    { label: 'exposed', unit: 's', value: (run) => run.result.exposed_comm_s, text: formatTime },
    { label: 'hidden', value: (run) => run.result.overlap, text: formatPercent },
    { label: 'machine', left: true, value: (run) => run.machine },
  ];
  return el('nav', { 'aria-label': 'Scenarios' }, table('Scenarios', columns, runs));
}

export function runsPage(runs) {
  if (runs.length === 1) return [el('article', { class: 'run' }, runParts(runs[0], 2))];
  const ids = runs.map((_, i) => `run-${i + 1}`);
  return [
    overview(runs, ids),
    ...runs.map((run, i) => {
      const name = el('h2', { id: ids[i] }, run.result.scenario);
      return el('article', { class: 'run', 'aria-labelledby': ids[i] }, name, runParts(run, 3));
    }),
  ];
}
