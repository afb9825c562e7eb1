#!/usr/bin/env node
// Imports a trace with Perfetto's own trace processor, and fails unless it came through whole.
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { countAll, findFaults, findMiscounts, kCounts } from './soundness.mjs';
import { openTraceProcessor } from './trace_processor.mjs';
import { readTracks } from './tracks.mjs';

const kUsage = `usage: validate.mjs TRACE [--expect slices=N,flows=N,...] [--min ...] [--tree] [-q SQL]...

Exits with 1 on an import error, lost data, or counts other than those given. Many faults raise no error of their own
(a truncated file, an end without a beginning, a receive before its send), so always give the writer's own counts.
  --expect, --min   exact or least counts of: slices, flows, counters, args, tracks, processes
  --tree            prints the tracks in the order in which the interface shows them
  -q, --query SQL   prints the rows of a query (repeatable), columns separated by tabs
  --allow A,B       statistics that may be non-zero
Queries and the tree go to stdout, the verdict to stderr.`;

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

function printTracks(tracks, depth) {
  for (const track of tracks) {
    const kind = track.isCounter ? '~' : track.hasData ? '=' : '+';
    const merged = track.ids.length > 1 ? `   [${track.ids.length} tracks merged]` : '';
    console.log(`${'  '.repeat(depth)}${kind} ${track.name}${merged}`);
    printTracks(track.children, depth + 1);
  }
}

function printTree(processor) {
  printTracks(readTracks(processor), 0);
  const processes = processor.query(`select p.upid, p.pid, p.name from process p left join (
        select upid, count(*) as slices from slice s join process_track t on t.id = s.track_id group by upid) using (upid)
      where p.upid > 0
      order by coalesce(extract_arg(p.arg_set_id, 'process_sort_index_hint'), 0), coalesce(slices, 0) desc, p.name, p.upid`);
  for (const [upid, pid, name] of processes.rows) {
    console.log(`+ ${name} ${pid}`);
    printTracks(readTracks(processor, upid), 1);
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
  const counts = countAll(processor);
  console.error(`${options.trace}: trace processor ${processor.version()}, heap ${processor.heapBytes >> 20} MiB`);
  console.error(Object.entries(counts).map(([name, value]) => `${name}=${value}`).join(' '));
  const tooFew = options.min.filter(([name, value]) => counts[name] < value)
    .map(([name, value]) => `${name}: ${counts[name]} imported, at least ${value} expected`);
  const faults = [...findFaults(processor, options.allow), ...findMiscounts(counts, options.expect), ...tooFew];
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
