// The critical path: what each step's part of the time waited for.
import { foldAlike, stepKey } from './alike.js';
import { hint, section } from './dom.js';
import { formatPercent, formatTime, shorten } from './format.js';
import { SortedTable } from './tables.js';

const kWhats = [
  ['compute', 'compute'],
  ['transfer', 'transfer'],
  ['latency', 'latency'],
  ['own', 'own queue'],
  ['link_wait', 'link wait'],
  ['overhead', 'overhead'],
  ['launch', 'launch'],
  ['host_load', 'host'],
  ['other', 'other'],
];

const whatOf = ({ what, held_by: holder, step }) => (what === 'link_wait' && holder === step ? 'own' : what);

function byStep(path) {
  const rows = new Map();
  for (const part of path) {
    const row = rows.get(part.step) ?? { step: part.step, total: 0 };
    const [what, time] = [whatOf(part), part.end_s - part.start_s];
    row[what] = (row[what] ?? 0) + time;
    row.total += time;
    rows.set(part.step, row);
  }
  return [...rows.values()];
}

// Of alike steps the times are added up.
function fold(rows, steps) {
  return foldAlike(
    rows,
    ({ step }) => stepKey(steps[step]),
    (alike) => {
      const sum = { step: alike[0].step, count: alike.length };
      for (const { step, ...times } of alike)
        for (const [what, time] of Object.entries(times)) sum[what] = (sum[what] ?? 0) + time;
      return sum;
    },
  );
}

export function pathSection(result, level) {
  const path = result.critical_path;
  if (!path) return null;
  const rows = byStep(path);
  const folded = fold(rows, result.steps);
  const columns = [
    {
      label: 'step',
      left: true,
      words: true,
      value: ({ step }) => result.steps[step].text,
      text: (text, { count }) => `${shorten(text, 60)}${count ? `  x${count}` : ''}`,
      title: ({ step }) => result.steps[step].text,
    },
    ...kWhats
      .filter(([what]) => rows.some((row) => row[what] > 0))
      .map(([what, label]) => ({ label, unit: 's', value: (row) => row[what] ?? null, text: formatTime })),
    { label: 'in all', key: 'total_s', unit: 's', value: ({ total }) => total, text: formatTime },
    { label: 'of the time', value: ({ total }) => total / result.time_s, text: formatPercent },
  ];
  return section(
    'Critical path',
    level,
    hint(
      'Back from the end of the run, from each event to what it waited for. Own queue: behind messages of the same ' +
        'step; link wait: behind those of another.' +
        (folded.length < rows.length ? ' Of steps that are alike (x4, say) the times are added up.' : ''),
    ),
    new SortedTable('What the steps on the critical path waited for', columns, rows, {
      fold: () => folded,
      atOnce: 2000,
    }).element,
  );
}
