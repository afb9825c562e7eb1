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
const kTwoHops = scenario('line', 4, 'send_recv: {from: [0], to: [2], bytes: 1 MiB}');
const kCases = [
  { name: 'ring of 4', file: 'ring.pftrace', input: scenario('ring', 4, kGather),
    counts: { slices: 4 * 4 + 4 + 4, instants: 16, flows: 16, counters: 5 * (4 + 3) } },
  { name: 'compute beside a collective', file: 'beside.pftrace.gz',
    input: scenario('ring', 4, `parallel: [{${kGather}}, {compute: {time: 5 us}}]`),
    counts: { slices: 4 * 4 + 2 * 4 + 4 + 4, instants: 16, flows: 16, counters: 5 * (4 + 3) } },
  // On a line of 4 a link carries 1, 2 or 3 shards, each way; 8 lines, twice; three steps on 32 chips, one after another.
  // The ends of a line take in to the last, so no chip is ever quiet.
  { name: 'quiz', file: 'quiz.pftrace.gz',
    arguments: ['--ideal', path.join(kRoot, 'scenarios/book/ch3_quiz2_allgather.yaml')],
    counts: { slices: 2 * 8 * 12 + 3 * 32 + 32, instants: 192, flows: 192 + 2 * 32 } },
  // The links are busy one after the other, overlapping: 2 changes each, 4 of the whole; in flight are 2 and 2. A step
  // only on the two chips that take part; the one in between has but its link.
  { name: 'two hops', file: 'hops.pftrace', input: kTwoHops, someChips: true,
    counts: { slices: 2 + 2 + 2, instants: 1, flows: 2, counters: 2 * 2 + 4 + 2 + 2 } },
  // The critical path of two hops: the latency of the first, the transfer on the second, its latency.
  { name: 'critical path', file: 'path.pftrace', arguments: ['-', '--critical-path'], input: kTwoHops, someChips: true,
    counts: { slices: 2 + 2 + 2 + 3, instants: 1, flows: 2 } },
  // More changes than a curve keeps.
  { name: 'many chunks', file: 'chunks.pftrace.gz', input: scenario('ring', 4, `{${kGather}, chunks: 1000}`),
    counts: {} },

  // ---- detail
  { name: 'messages', file: 'messages.pftrace', input: kTwoHops, flags: ['--trace-detail', 'messages'], someChips: true,
    counts: { slices: 1 + 2 + 2, instants: 1, flows: 1, counters: 2 * 2 + 4 + 2 + 2 }, leftOut: { slices: 1 } },
  // A step waits for the one before it on every chip. No messages, no chip's curves.
  { name: 'steps', file: 'steps.pftrace.gz', input: scenario('ring', 4, kGather, 'compute: {time: 5 us}'),
    flags: ['--trace-detail', 'steps'], detail: 'steps',
    counts: { slices: 2 * 4 + 4 + 4, instants: 0, flows: 4, counters: 4 + 3 }, leftOut: { slices: 16 + 16 } },
  // Chips 1 and 2 send each other their own shards and a half.
  { name: 'chips', file: 'chips.pftrace', input: scenario('ring', 4, kGather), flags: ['--trace-chips', '1,(2)'],
    someChips: true, part: true,
    counts: { slices: 2 * (4 + 1 + 1), instants: 8, flows: 4, counters: 3 * (4 + 3) },
    leftOut: { slices: 2 * (4 + 1 + 1) + 8, chips: 2 } },
  // Links are left at 5.8 us, messages come at 6.8 us, the halves are under way from then on.
  { name: 'window', file: 'window.pftrace', input: scenario('ring', 4, kGather), flags: ['--trace-window', '5us..7us'],
    window: [5000, 7000],
    counts: { slices: 8 + 8 + 4 + 4, instants: 8, flows: 8 }, leftOut: { slices: 8 } },
  { name: 'window of steps', file: 'part.pftrace', input: scenario('ring', 4, kGather, 'compute: {time: 5 us}'),
    flags: ['--trace-window', '9us..12us', '--trace-detail', 'steps'], window: [9000, 12000],
    counts: { slices: 2 * 4 + 4 + 4, instants: 0, flows: 4 }, leftOut: { slices: 16 + 16 } },
  // 40 slices at hops, 12 of steps: what fits is chosen; of 8 the first chips.
  { name: 'limit', file: 'limit.pftrace', input: scenario('ring', 4, kGather, 'compute: {time: 5 us}'), detail: 'steps',
    flags: ['--trace-limit', '30'], counts: { slices: 2 * 4 + 4 + 4, instants: 0 }, leftOut: { slices: 16 + 16 } },
  { name: 'limit of chips', file: 'few.pftrace', input: scenario('ring', 4, kGather, 'compute: {time: 5 us}'),
    flags: ['--trace-limit', '8'], detail: 'steps', someChips: true,
    counts: { slices: 2 * (2 + 1 + 1), flows: 2 }, leftOut: { slices: 16 + 16 + 2 * 4, chips: 2 } },
];

// The run's JSON; --json is a file, since the table is on standard output.
function run(hopsim, folder, { file, input, arguments: given = ['-'], flags = [] }) {
  const [trace, json] = [path.join(folder, file), path.join(folder, 'result.json')];
  const { status, stderr } = spawnSync(hopsim, ['run', ...given, ...flags, '--trace', trace, '--json', json], { input });
  if (status !== 0) throw new Error(`hopsim: exit code ${status}\n${stderr}`);
  return { trace, result: JSON.parse(fs.readFileSync(json)) };
}

// Perfetto counts instants among slices.
function findWrongCounts(processor, written, byHand) {
  const instants = processor.value("select count(*) from slice where category = 'receive' and dur = 0");
  const imported = { ...countAll(processor), instants };
  const { flows, counters } = written;
  const expected = { slices: written.slices + written.instants, instants: written.instants, flows, counters };
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

// What is left out, and slices within the window, their exact times not cut.
function findWrongScope(processor, written, { detail = written.detail, window, leftOut = { slices: 0 } }) {
  const faults = [];
  if (written.detail !== detail) faults.push(`detail ${written.detail}, ${detail} expected`);
  for (const [name, value] of Object.entries(leftOut)) {
    if (written.left_out[name] !== value) faults.push(`${written.left_out[name]} ${name} left out, ${value} by hand`);
  }
  if (!window) return faults;
  const [[begin, end, first, last]] = processor.query(`select min(ts), max(ts + dur),
      min(extract_arg(arg_set_id, 'debug.start_ps')), max(extract_arg(arg_set_id, 'debug.end_ps')) from slice`).rows;
  if (begin !== window[0] || end !== window[1]) faults.push(`slices from ${begin} to ${end} ns`);
  if (!(first < 1000 * window[0] && last > 1000 * window[1])) faults.push(`exact times are cut: ${first} to ${last} ps`);
  return faults;
}

// ---- the queries of the README

function readQueries() {
  const readme = fs.readFileSync(path.join(kRoot, 'README.md'), 'utf8');
  return [...readme.matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => sql.replace(/\blimit \d+/, ''));
}

const near = (a, b) => Math.abs(a - b) <= 1e-3 * Math.abs(b);

function findWrongAnswers(processor, result) {
  const [exposed, links] = readQueries().map((sql) => processor.query(sql).rows);
  const faults = [];
  if (!near(exposed[0][1], result.exposed_comm_s * 1e6)) {
    faults.push(`${exposed[0]} us exposed by the README's query, ${result.exposed_comm_s} s in the result`);
  }
  if (exposed.length !== result.machine.chips) faults.push(`${exposed.length} chips are exposed`);
  const busiest = result.links.busiest;
  if (!near(links[0][1], 100 * busiest[0].utilization)) faults.push(`busiest link ${links[0]}, ${busiest[0].utilization} in the result`);
  for (const { link, utilization } of busiest) {
    const [, percent] = links.find(([name]) => name === link) ?? [];
    if (!near(percent ?? NaN, 100 * utilization)) faults.push(`${link}: busy ${percent} %, ${utilization} in the result`);
  }
  return faults;
}

// ---- refusals: what is said, and no file

const kRefusals = [
  [['--trace-detail', 'hops', '--trace-limit', '20'],
    /too large, 40 slices; got --trace-limit 20; valid: .*--trace-chips 0-1, --trace-window \.\.[\d.]+[nu]s, --trace-limit none/],
  [['--trace-chips', '0-4'], /--trace-chips: no such chip; got 0-4; valid: 0 to 3/],
  [['--trace-window', '2us..1us'], /--trace-window: a window that runs backwards/],
];

function findWrongRefusals(hopsim, folder) {
  const trace = path.join(folder, 'refused.pftrace');
  return kRefusals.flatMap(([flags, expected]) => {
    const { status, stderr } = spawnSync(hopsim, ['run', '-', '--trace', trace, ...flags],
      { input: scenario('ring', 4, kGather), encoding: 'utf8' });
    const faults = status === 2 && expected.test(stderr) ? [] : [`${flags.join(' ')}: exit code ${status}, ${stderr}`];
    return fs.existsSync(trace) ? [...faults, `${flags.join(' ')}: a trace was written`] : faults;
  });
}

function findWrongEmptiness(hopsim, folder) {
  const trace = path.join(folder, 'empty.pftrace');
  const { status, stderr } = spawnSync(hopsim, ['run', '-', '--trace', trace, '--trace-window', '1s..'],
    { input: scenario('ring', 4, kGather), encoding: 'utf8' });
  const said = /the trace is empty: nothing happened in --trace-window 1s\.\.; the run was from 0 s to 10\.73\d us/;
  return status === 0 && said.test(stderr) ? [] : [`exit code ${status}, ${stderr}`];
}

// ----

async function open(trace) {
  const processor = await openTraceProcessor();
  processor.load(trace);
  return processor;
}

async function judge(hopsim, folder, testCase) {
  const { trace, result } = run(hopsim, folder, testCase);
  const processor = await open(trace);
  const { detail } = result.trace;
  const whole = !testCase.part && result.trace.chips === result.machine.chips;
  return [...findFaults(processor), ...findWrongCounts(processor, result.trace, testCase.counts),
    ...findWrongScope(processor, result.trace, testCase), ...findDisorder(processor, result.machine.chips, testCase.someChips),
    ...(whole && detail === 'hops' ? findWrongCurves(processor, result.machine.links) : []),
    ...(whole && !testCase.window ? findWrongExposure(processor, result) : [])];
}

// The scenario that the README measures.
async function judgeQueries(hopsim, folder) {
  const input = `machine: {chip: tpu_v5e, slice: 4x4, ideal: true}
program:
  - parallel:
      - {all_gather: {axis: X, bytes: 32 MiB}}
      - {matmul: {m: 4096, n: 4096, k: 2048}}
  - {all_reduce: {axis: Y, bytes: 4 MiB}}
`;
  const { trace, result } = run(hopsim, folder, { file: 'queries.pftrace.gz', input });
  return findWrongAnswers(await open(trace), result);
}

function report(name, faults) {
  console.log([`${faults.length ? 'FAILED' : 'ok    '} ${name}`, ...faults].join('\n         '));
  if (faults.length) process.exitCode = 1;
}

const hopsim = process.argv[2];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hopsim-traces-'));
try {
  for (const testCase of kCases) report(testCase.name, await judge(hopsim, folder, testCase));
  report("the README's queries", await judgeQueries(hopsim, folder));
  report('refusals', findWrongRefusals(hopsim, folder));
  report('an empty window', findWrongEmptiness(hopsim, folder));
} finally {
  fs.rmSync(folder, { recursive: true });
}
