#!/usr/bin/env node
// Imports a trace with Perfetto's own trace processor, and fails unless it came through whole.
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { openTraceProcessor } from './trace_processor.mjs';

const kUsage = `usage: validate.mjs TRACE [--expect slices=N,flows=N,...] [--min ...] [--tree] [-q SQL]...

Exits with 1 on an import error, lost data, or counts other than those given. Many faults raise no error of their own
(a truncated file, an end without a beginning, a receive before its send), so always give the writer's own counts.
  --expect, --min   exact or least counts of: slices, flows, counters, args, tracks, processes
  --tree            prints the tracks in the order in which the interface shows them
  -q, --query SQL   prints the rows of a query (repeatable), columns separated by tabs
  --allow A,B       statistics that may be non-zero
Queries and the tree go to stdout, the verdict to stderr.`;

const kCounts = {
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

class UsageError extends Error {}

// "slices=4,flows=2" as [["slices", 4], ["flows", 2]].
function parseCounts(text = '') {
  return text.split(',').filter(Boolean).map((item) => {
    const [, name, value] = item.match(/^(\w+)=(\d+)$/) ?? [];
    if (!(name in kCounts)) throw new UsageError(`${item}: not NAME=N with NAME of ${Object.keys(kCounts).join(', ')}`);
    return [name, Number(value)];
  });
}

function parseCommandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      expect: { type: 'string' },
      min: { type: 'string' },
      allow: { type: 'string', default: '' },
      tree: { type: 'boolean' },
      query: { type: 'string', short: 'q', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (!values.help && positionals.length !== 1) throw new UsageError('one trace file, please');
  return {
    ...values,
    trace: positionals[0],
    expect: parseCounts(values.expect),
    min: parseCounts(values.min),
    allow: values.allow.split(','),
  };
}

// What is wrong with the imported trace, one line each.
function findFaults(processor, counts, options) {
  const faults = [];
  const losses = kLosses.map((name) => `'${name}'`).join(', ');
  const statistics = processor.query(`select name, severity, value, description from stats
      where value > 0 and (severity <> 'info' or name in (${losses}))`);
  for (const [name, severity, value, description] of statistics.rows) {
    if (!options.allow.includes(name)) faults.push(`${severity} ${name} = ${value}: ${description}`);
  }
  const unfinished = processor.value('select count(*) from slice where dur < 0');
  if (unfinished) faults.push(`${unfinished} slices never end`);
  const nameless = processor.value('select count(*) from slice where name is null');
  if (nameless) faults.push(`${nameless} slices have no name`);
  for (const [name, value] of options.expect) {
    if (counts[name] !== value) faults.push(`${name}: ${counts[name]} imported, ${value} expected`);
  }
  for (const [name, value] of options.min) {
    if (counts[name] < value) faults.push(`${name}: ${counts[name]} imported, at least ${value} expected`);
  }
  return faults;
}

function printTracks(tracks, parent, depth) {
  for (const track of tracks.filter(parent)) {
    const kind = track.isCounter ? '~' : track.hasData ? '=' : '+';
    const merged = track.ids.length > 1 ? `   [${track.ids.length} tracks merged]` : '';
    console.log(`${'  '.repeat(depth)}${kind} ${track.name}${merged}`);
    printTracks(tracks, (child) => child.parent === track.ids[0], depth + 1);
  }
}

// The order is the interface's own: it runs the same SQL module.
function printTree(processor) {
  processor.query('include perfetto module viz.summary.track_event');
  const tracks = processor.query(`select upid, parent_id, track_ids, name, is_counter, has_data
      from _track_event_tracks_ordered_groups where has_data or has_children order by parent_id, order_id`)
    .rows.map(([upid, parent, ids, name, isCounter, hasData]) =>
      ({ upid, parent, ids: String(ids).split(',').map(Number), name, isCounter, hasData }));
  printTracks(tracks, (track) => track.parent === null && track.upid === null, 0);
  const processes = processor.query(`select p.upid, p.pid, p.name from process p left join (
        select upid, count(*) as slices from slice s join process_track t on t.id = s.track_id group by upid) using (upid)
      where p.upid > 0
      order by coalesce(extract_arg(p.arg_set_id, 'process_sort_index_hint'), 0), coalesce(slices, 0) desc, p.name, p.upid`);
  for (const [upid, pid, name] of processes.rows) {
    console.log(`+ ${name} ${pid}`);
    printTracks(tracks, (track) => track.parent === null && track.upid === upid, 1);
  }
}

function printRows({ columns, rows }) {
  console.log(columns.join('\t'));
  for (const row of rows) console.log(row.map((cell) => cell ?? 'NULL').join('\t'));
}

async function validate(options) {
  fs.accessSync(options.trace, fs.constants.R_OK);
  const processor = await openTraceProcessor();
  try {
    processor.load(options.trace);
  } catch (error) {
    console.error(['FAIL: import', error.message, ...processor.log.slice(-20)].join('\n  '));
    return 1;
  }
  const counts = Object.fromEntries(Object.entries(kCounts).map(([name, sql]) => [name, processor.value(sql)]));
  console.error(`${options.trace}: trace processor ${processor.version()}, heap ${processor.heapBytes >> 20} MiB`);
  console.error(Object.entries(counts).map(([name, value]) => `${name}=${value}`).join(' '));
  const faults = findFaults(processor, counts, options);
  if (options.tree) printTree(processor);
  for (const sql of options.query) printRows(processor.query(sql));
  console.error(faults.length ? ['FAIL', ...faults].join('\n  ') : 'OK: no import errors, no data loss');
  return faults.length ? 1 : 0;
}

try {
  const options = parseCommandLine();
  if (options.help) console.log(kUsage);
  process.exitCode = options.help ? 0 : await validate(options);
} catch (error) {
  const isUsage = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(isUsage ? `${error.message}\n\n${kUsage}` : `validate: ${error.message}`);
  process.exitCode = 2;
}
