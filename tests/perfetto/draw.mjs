#!/usr/bin/env node
// Draws a trace as a timeline (SVG): what Perfetto's trace processor makes of it, for the README.
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { openTraceProcessor } from './trace_processor.mjs';
import { Timeline } from './timeline.mjs';
import { readTracks } from './tracks.mjs';

const kUsage = `usage: draw.mjs TRACE [--chips N] [--output FILE]

  --chips   how many chips, from the first (4)
  --output  the picture (standard output)`;

// A chip's rows, top to bottom: { name, ids (of tracks), kind }. What it receives is one row, by whatever link.
function rowsOf(chip) {
  const rows = [];
  for (const track of chip.children) {
    if (track.name === 'links out') {
      for (const link of track.children) rows.push({ name: link.name, ids: link.ids, kind: 'link' });
    } else if (track.name === 'received') {
      rows.push({ name: track.name, ids: track.children.flatMap((link) => link.ids), kind: 'received' });
    } else if (!track.isCounter) {
      rows.push({ name: track.name, ids: track.ids, kind: track.name.split(' ')[0] });
    }
  }
  return rows;
}

function readSlices(processor) {
  const arg = (name) => `extract_arg(arg_set_id, 'debug.${name}')`;
  return processor.query(`select id, track_id, ts, dur, name, ${['bytes', 'chunk', 'chunk_atoms'].map(arg)}
      from slice order by ts`)
    .rows.map(([id, track, start, duration, name, bytes, chunk, atoms]) =>
      ({ id, track, start, end: start + duration, name, bytes, chunk, atoms }));
}

function readCurves(processor, fabric) {
  return fabric.children.filter((track) => track.isCounter).map(({ name, ids }) => {
    const samples = processor.query(`select ts, value from counter where track_id = ${ids[0]} order by ts`).rows;
    return { name, samples: samples.map(([time, value]) => ({ time, value })) };
  });
}

async function draw({ trace, chips: wanted }) {
  const processor = await openTraceProcessor();
  processor.load(trace);
  const [fabric] = readTracks(processor);
  const chips = fabric.children.filter((track) => !track.isCounter && track.name !== 'critical path');
  const shown = chips.slice(0, wanted);
  const flows = processor.query('select slice_out, slice_in from flow order by id').rows;
  return new Timeline({
    title: `${fabric.name}, ${shown.length} of ${chips.length} chips`,
    curves: readCurves(processor, fabric),
    groups: shown.map((chip) => ({ name: chip.name, rows: rowsOf(chip) })),
    slices: readSlices(processor),
    flows: flows.map(([from, to]) => ({ from, to })),
  }).svg();
}

class UsageError extends Error {}

function parseCommandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      chips: { type: 'string', default: '4' },
      output: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (!values.help && positionals.length !== 1) throw new UsageError('one trace file, please');
  if (!/^[1-9]\d*$/.test(values.chips)) throw new UsageError(`--chips ${values.chips}: not a number from 1`);
  return { ...values, trace: positionals[0], chips: Number(values.chips) };
}

try {
  const options = parseCommandLine();
  if (options.help) console.log(kUsage);
  else fs.writeFileSync(options.output ?? process.stdout.fd, await draw(options));
} catch (error) {
  const isUsage = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(isUsage ? `${error.message}\n\n${kUsage}` : `draw: ${error.message}`);
  process.exitCode = 2;
}
