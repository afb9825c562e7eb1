// What tells whether a trace came through the trace processor whole.

export const kCounts = {
  slices: 'select count(*) from slice',
  flows: 'select count(*) from flow',
  counters: 'select count(*) from counter',
  args: 'select count(*) from args',
  tracks: 'select count(*) from track',
  processes: 'select count(*) from process where upid > 0',
};

// Perfetto calls these informational, though data is gone where they are not zero.
const kLosses = [
  'flow_end_without_start',
  'flow_step_without_start',
  'interned_data_tokenizer_errors',
  'packet_skipped_seq_needs_incremental_state_invalid',
  'tokenizer_skipped_packets',
  'track_event_parser_errors',
  'track_event_tokenizer_errors',
];

// By the names of kCounts.
export function countAll(processor) {
  return Object.fromEntries(Object.entries(kCounts).map(([name, sql]) => [name, processor.value(sql)]));
}

// What is wrong with the imported trace, one line each. `allowed`: names of statistics that may be non-zero.
export function findFaults(processor, allowed = []) {
  const faults = [];
  const losses = kLosses.map((name) => `'${name}'`).join(', ');
  const statistics = processor.query(`select name, severity, value, description from stats
      where value > 0 and (severity <> 'info' or name in (${losses}))`);
  for (const [name, severity, value, description] of statistics.rows) {
    if (!allowed.includes(name)) faults.push(`${severity} ${name} = ${value}: ${description}`);
  }
  const unfinished = processor.value('select count(*) from slice where dur < 0');
  if (unfinished) faults.push(`${unfinished} slices never end`);
  const nameless = processor.value('select count(*) from slice where name is null');
  if (nameless) faults.push(`${nameless} slices have no name`);
  return faults;
}

// `expected`: [name, count] pairs.
export function findMiscounts(counts, expected) {
  return expected.filter(([name, value]) => counts[name] !== value)
    .map(([name, value]) => `${name}: ${counts[name]} imported, ${value} expected`);
}
