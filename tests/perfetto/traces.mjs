#!/usr/bin/env node
// traces.mjs HOPSIM: runs small scenarios with --trace, and compares what Perfetto imports with what the run says it
// wrote (`trace` in its JSON), with counts by hand, and with what holds for every trace.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { countAll, findFaults, findMiscounts } from './soundness.mjs';
import { openTraceProcessor } from './trace_processor.mjs';
import { readTracks } from './tracks.mjs';

const kRoot = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');

const scenario = (kind, chips, ...program) => `
machine: {topology: {kind: ${kind}, shape: [${chips}]}, link: {bandwidth: 45 GB/s, latency: 1 us}}
program:
${program.map((step) => `  - ${step}`).join('\n')}
`;

// A gather on a ring of 4 is 4 messages a chip: its own shard both ways, and two halves it passes on. Curves, a chip
// and the whole: links are busy twice (4 changes), bytes in flight at first, at half time and at the end (3). All of it
// is exposed, one stretch a chip; beside a computation what follows that.
const kGather = 'all_gather: {axis: X, bytes: 1 MiB}';
const kCases = [
  { name: 'ring of 4', file: 'ring.pftrace', input: scenario('ring', 4, kGather),
    counts: { slices: 4 * 4 + 4 + 4, instants: 16, flows: 16, counters: 5 * (4 + 3) } },
  { name: 'compute beside a collective', file: 'beside.pftrace.gz',
    input: scenario('ring', 4, `parallel: [{${kGather}}, {compute: {time: 5 us}}]`),
    counts: { slices: 4 * 4 + 2 * 4 + 4 + 4, instants: 16, flows: 16, counters: 5 * (4 + 3) } },
  // On a line of 4 a link carries 1, 2 or 3 shards, each way; 8 lines, twice; three steps on 32 chips.
  // The ends of a line take in to the last, so no chip is ever quiet.
  { name: 'quiz', file: 'quiz.pftrace.gz',
    arguments: ['--ideal', path.join(kRoot, 'scenarios/book/ch3_quiz2_allgather.yaml')],
    counts: { slices: 2 * 8 * 12 + 3 * 32 + 32, instants: 192, flows: 192 } },
  // The links are busy one after the other, overlapping: 2 changes each, 4 of the whole; in flight are 2 and 2. A step
  // only on the two chips that take part; the one in between has but its link.
  { name: 'two hops', file: 'hops.pftrace',
    input: scenario('line', 4, 'send_recv: {from: [0], to: [2], bytes: 1 MiB}'),
    someChips: true, counts: { slices: 2 + 2 + 2, instants: 1, flows: 2, counters: 2 * 2 + 4 + 2 + 2 } },
  // The critical path of two hops: the latency of the first, the transfer on the second, its latency.
  { name: 'critical path', file: 'path.pftrace',
    arguments: ['-', '--critical-path'], input: scenario('line', 4, 'send_recv: {from: [0], to: [2], bytes: 1 MiB}'),
    someChips: true, counts: { slices: 2 + 2 + 2 + 3, instants: 1, flows: 2 } },
  // More changes than a curve keeps.
  { name: 'many chunks', file: 'chunks.pftrace.gz', input: scenario('ring', 4, `{${kGather}, chunks: 1000}`),
    counts: {} },
];

// The run's JSON; --json is a file, since the table is on standard output.
function run(hopsim, folder, { file, input, arguments: given = ['-'] }) {
  const [trace, json] = [path.join(folder, file), path.join(folder, 'result.json')];
  const { status, stderr } = spawnSync(hopsim, ['run', ...given, '--trace', trace, '--json', json], { input });
  if (status !== 0) throw new Error(`hopsim: exit code ${status}\n${stderr}`);
  return { trace, result: JSON.parse(fs.readFileSync(json)) };
}

function findWrongCounts(processor, written, byHand) {
  const instants = processor.value("select count(*) from slice where category = 'receive' and dur = 0");
  const imported = { ...countAll(processor), instants };
  const expected = { ...written, slices: written.slices + written.instants }; // Perfetto counts instants among slices
  const miscounts = Object.entries(byHand).filter(([name, value]) => written[name] !== value)
    .map(([name, value]) => `${name}: ${written[name]} written, ${value} by hand`);
  return [...miscounts, ...findMiscounts(imported, Object.entries(expected))];
}

function findDisorder(processor, chips, someChips) {
  const [fabric, ...others] = readTracks(processor);
  const nodes = fabric.children.filter((track) => !track.isCounter && track.name !== 'critical path');
  const names = nodes.map((track) => track.name);
  const faults = [];
  if (others.length > 0) faults.push('more than one root track');
  const numbers = names.map((name) => Number(name.split(' ')[1]));
  const inOrder = someChips ? numbers.every((n, i) => i === 0 || n > numbers[i - 1])
    : names.length === chips && numbers.every((n, i) => n === i);
  if (!inOrder) faults.push(`chips out of order: ${names.join(', ')}`);
  for (const chip of nodes) {
    if (!someChips && !chip.children.some((track) => track.name === 'collectives')) faults.push(`${chip.name}: no track of collectives`);
  }
  return faults;
}

// Links are busy while they carry something: the area below the curve is the slices' sum. All curves end at zero.
function findWrongCurves(processor, links) {
  const busy = processor.value("select sum(dur) from slice where category = 'link'");
  const area = processor.value(`select sum(value * (next - ts)) from (
      select value, ts, lead(ts) over (partition by track_id order by ts) as next
      from counter c join track t on t.id = c.track_id
      where t.name = 'link utilisation' and t.parent_id in (select id from track where parent_id is null))`);
  const open = processor.value(`select count(*) from (
      select value, row_number() over (partition by track_id order by ts desc) as place from counter)
      where place = 1 and value <> 0`);
  const byCurve = area / 100 * links;
  const faults = [];
  if (!(Math.abs(byCurve / busy - 1) < 1e-3)) faults.push(`links are busy for ${busy} ns, by their curve for ${byCurve}`);
  if (open) faults.push(`${open} curves do not end at 0`);
  return faults;
}

// Slices are rounded to nanoseconds.
function findWrongExposure(processor, result) {
  const exposed = processor.value(`select ifnull(max(sum), 0) from (
      select sum(dur) as sum from slice where category = 'exposed' group by track_id)`);
  const off = Math.abs(exposed - result.exposed_comm_s * 1e9);
  const faults = off < 1 + 1e-3 * exposed ? [] : [`${exposed} ns exposed, ${result.exposed_comm_s} s in the result`];
  if (!result.critical_path) return faults;
  const path = processor.value("select sum(dur) from slice where category = 'critical'");
  if (Math.abs(path - result.time_s * 1e9) > 1) faults.push(`the critical path is ${path} ns, the run ${result.time_s} s`);
  return faults;
}

async function judge(hopsim, folder, testCase) {
  const { trace, result } = run(hopsim, folder, testCase);
  const processor = await openTraceProcessor();
  processor.load(trace);
  return [...findFaults(processor), ...findWrongCounts(processor, result.trace, testCase.counts),
    ...findDisorder(processor, result.machine.chips, testCase.someChips), ...findWrongCurves(processor, result.machine.links),
    ...findWrongExposure(processor, result)];
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hopsim-traces-'));
try {
  for (const testCase of kCases) {
    const faults = await judge(process.argv[2], folder, testCase);
    console.log([`${faults.length ? 'FAILED' : 'ok    '} ${testCase.name}`, ...faults].join('\n         '));
    if (faults.length) process.exitCode = 1;
  }
} finally {
  fs.rmSync(folder, { recursive: true });
}
