#!/usr/bin/env node
// Checks the validator: a sound trace passes, in every form a trace may be stored; each damaged one is refused.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { bytes, fixed64, number } from './protobuf.mjs';

const kValidator = path.join(path.dirname(fileURLToPath(import.meta.url)), 'validate.mjs');

// TrackEvent.Type, and TracePacket.SequenceFlags
const [kBegin, kEnd, kCounter] = [1, 2, 4];
const [kStateCleared, kNeedsState] = [1, 2];
const kSend = 2;
const kReceive = 3;
const kInFlight = 4;

const packet = (...fields) => bytes(1, number(10, 1), ...fields);
const track = (uuid, ...fields) => packet(bytes(60, number(1, uuid), ...fields));
const event = (time, type, uuid, ...fields) =>
  packet(number(8, time), number(13, kNeedsState), bytes(11, number(9, type), number(11, uuid), ...fields));
const begin = (time, uuid, name, ...fields) => event(time, kBegin, uuid, bytes(22, 'ici'), bytes(23, name), ...fields);
const end = (time, uuid) => event(time, kEnd, uuid);

// One chip sends twice to another: 4 slices, 2 flows, 3 counter samples.
function soundPackets() {
  return [
    packet(number(13, kStateCleared)),
    track(1, bytes(3, number(1, 1), bytes(6, 'chip 0'))),
    track(kSend, number(5, 1), bytes(2, 'x+ tx')),
    track(kReceive, number(5, 1), bytes(2, 'x+ rx')),
    track(kInFlight, number(5, 1), bytes(2, 'in flight'), bytes(8)),
    begin(100, kSend, 'send', fixed64(47, 1)),
    begin(150, kReceive, 'recv', fixed64(48, 1)),
    event(100, kCounter, kInFlight, number(30, 64)),
    end(200, kSend),
    begin(200, kSend, 'send', fixed64(47, 2)),
    event(200, kCounter, kInFlight, number(30, 128)),
    end(250, kReceive),
    begin(250, kReceive, 'recv', fixed64(48, 2)),
    end(300, kSend),
    end(350, kReceive),
    event(350, kCounter, kInFlight, number(30, 0)),
  ];
}

const sound = Buffer.concat(soundPackets());
const withMore = (...packets) => Buffer.concat([sound, ...packets]);
const withoutSequence = bytes(1, number(8, 400), bytes(11, number(9, kEnd), number(11, kSend)));

const kSound = 'slices=4,flows=2,counters=3';

// What the writer says it wrote, and what the validator must say.
const kCases = [
  { name: 'plain', trace: sound, wrote: kSound, says: /^OK/m },
  { name: 'gzipped', trace: zlib.gzipSync(sound), wrote: kSound, says: /^OK/m },
  { name: 'two gzip members', wrote: kSound, says: /^OK/m,
    trace: Buffer.concat([zlib.gzipSync(sound.subarray(0, 50)), zlib.gzipSync(sound.subarray(50))]) },
  { name: 'compressed packets', trace: bytes(1, bytes(50, zlib.deflateSync(sound))), wrote: kSound, says: /^OK/m },
  { name: 'not a trace', trace: Buffer.from('hopsim'.repeat(50)), wrote: kSound, says: /^FAIL: import/m },
  { name: 'another count of counters', trace: sound, wrote: 'slices=4,flows=2,counters=4',
    says: /^ +counters: 3 imported, 4 expected$/m },
  { name: 'cut short', trace: Buffer.concat(soundPackets().slice(0, -4)), wrote: kSound,
    says: /^ +slices: 3 imported, 4 expected$/m },
  { name: 'a slice that never ends', trace: withMore(begin(400, kSend, 'send')), wrote: 'slices=5,flows=2,counters=3',
    says: /^ +1 slices never end$/m },
  { name: 'a receive before its send', wrote: 'slices=6,flows=3,counters=3',
    trace: withMore(begin(400, kReceive, 'recv', fixed64(48, 3)), end(410, kReceive),
      begin(420, kSend, 'send', fixed64(47, 3)), end(430, kSend)),
    says: /^ +flows: 2 imported, 3 expected$/m },
  { name: 'a packet without a sequence', trace: withMore(withoutSequence), wrote: kSound,
    says: /track_event_missing_sequence_id/ },
  { name: 'state needed but never cleared', trace: Buffer.concat(soundPackets().slice(1)), wrote: kSound,
    says: /packet_skipped_seq_needs_incremental_state_invalid/ },
];

// The validator's words about a trace, after checking that they agree with its exit code.
function validate(file, wrote) {
  const { status, stderr } = spawnSync(process.execPath, [kValidator, file, '--expect', wrote], { encoding: 'utf8' });
  const agreed = status === (/^OK/m.test(stderr) ? 0 : 1);
  return agreed ? stderr : `exit code ${status}, though it says: ${stderr}`.replaceAll('\n', '\n| ');
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hopsim-perfetto-'));
let failures = 0;
try {
  const file = path.join(folder, 'trace');
  for (const { name, trace, wrote, says } of kCases) {
    fs.writeFileSync(file, trace);
    const said = validate(file, wrote);
    const isRight = says.test(said);
    console.log(`${isRight ? 'ok    ' : 'FAILED'} ${name}`);
    if (!isRight) console.log(`expected ${says}, got:\n${said}`);
    failures += isRight ? 0 : 1;
  }
} finally {
  fs.rmSync(folder, { recursive: true });
}
console.log(failures ? `${failures} of ${kCases.length} cases failed` : `all ${kCases.length} cases as expected`);
process.exitCode = failures ? 1 : 0;
