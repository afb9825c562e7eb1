// Perfetto's own trace processor (WebAssembly) behind three calls: load, query, version. Synchronous, no dependencies.
// It speaks the byte pipe of TraceProcessorRpc (protos/perfetto/trace_processor/trace_processor.proto).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { byteFields, bytes, number, Reader, kBytes } from './protobuf.mjs';

const kHere = path.dirname(fileURLToPath(import.meta.url));
const kFolder = path.join(kHere, '../../build/perfetto');
const kPipeBytes = 32 << 20; // of one request
const kReadBytes = 16 << 20;

// TraceProcessorMethod, and the fields of TraceProcessorRpc that carry arguments and results.
const kAppendData = { method: 1, args: 101, result: 201 };
const kFinalize = { method: 2, result: 212 };
const kQuery = { method: 3, args: 103, result: 203 };
const kStatus = { method: 10, result: 210 };

// QueryResult.CellsBatch.CellType
const [kNull, kInteger, kDouble, kString, kBlob] = [1, 2, 3, 4, 5];

// The bundle holds the 32-bit module's factory, and starts a worker bridge that has no place here: take the factory out.
function loadFactory() {
  const anchor = 'const wasmBridge = new wasm_bridge_1.WasmBridge();';
  const bundle = fs.readFileSync(path.join(kFolder, 'engine_bundle.node.js'), 'utf8');
  if (!bundle.includes(anchor)) throw new Error('engine_bundle.node.js: not the bundle this driver was written for');
  const self = { location: { href: `file://${kFolder}/bundle.js` } };
  const code = bundle.replace(anchor, 'self.factory = requireTrace_processor(); const wasmBridge = {};');
  const worker = function WorkerGlobalScope() {};
  new Function('self', 'location', 'WorkerGlobalScope', 'window', 'document', code)(self, self.location, worker);
  return self.factory.default ?? self.factory;
}

export async function openTraceProcessor() {
  execFileSync(path.join(kHere, 'fetch'), { stdio: 'inherit' });
  const factory = loadFactory();
  const log = [];
  const module = await new Promise((resolve, reject) => {
    const promise = factory({
      wasmBinary: fs.readFileSync(path.join(kFolder, 'trace_processor.wasm')),
      locateFile: (name) => name,
      print: (line) => log.push(line),
      printErr: (line) => log.push(line),
      onRuntimeInitialized: () => setImmediate(() => resolve(promise)),
    });
    promise?.catch?.(reject);
  });
  return new TraceProcessor(module, log);
}

class TraceProcessor {
  constructor(module, log) {
    this.module = module;
    this.log = log;
    this.sequence = 0;
    this.received = Buffer.alloc(0);
    const onReply = module.addFunction((pointer, size) => {
      const start = pointer >>> 0;
      this.received = Buffer.concat([this.received, module.HEAPU8.slice(start, start + size)]);
    }, 'vpi');
    this.pipe = module.ccall('trace_processor_rpc_init', 'pointer', ['pointer', 'number'], [onReply, kPipeBytes]) >>> 0;
  }

  get heapBytes() {
    return this.module.HEAPU8.length;
  }

  version() {
    return byteFields(this.#call(kStatus)[0])[2].toString();
  }

  // The whole file; plain, gzipped or with compressed packets.
  load(file) {
    const descriptor = fs.openSync(file, 'r');
    const buffer = Buffer.alloc(kReadBytes);
    for (let size; (size = fs.readSync(descriptor, buffer, 0, kReadBytes, null)) > 0; ) {
      for (const result of this.#call(kAppendData, buffer.subarray(0, size))) refuse(byteFields(result)[2]);
    }
    fs.closeSync(descriptor);
    for (const result of this.#call(kFinalize)) refuse(byteFields(result)[1]);
  }

  query(sql) {
    const columns = [];
    const rows = [];
    for (const result of this.#call(kQuery, bytes(1, sql))) {
      const reader = new Reader(result);
      for (const [field, wireType] of reader.fields()) {
        if (field === 1) columns.push(reader.bytes().toString());
        else if (field === 2) refuse(reader.bytes());
        else if (field === 3) readBatch(reader.bytes(), columns.length, rows);
        else reader.skip(wireType);
      }
    }
    return { columns, rows };
  }

  // The first column of the first row.
  value(sql) {
    return this.query(sql).rows[0]?.[0];
  }

  // The results of one request: none, one, or several where it is answered in parts.
  #call({ method, args, result }, argument) {
    const request = [number(1, this.sequence++), number(2, method)];
    if (argument) request.push(bytes(args, argument));
    this.#send(bytes(1, ...request));
    const results = [];
    const replies = new Reader(this.received);
    for (const [field, wireType] of replies.fields()) {
      if (field !== 1 || wireType !== kBytes) throw new Error('trace processor: not a reply');
      const reply = byteFields(replies.bytes());
      refuse(reply[5]);
      if (reply[result]) results.push(reply[result]);
    }
    this.received = Buffer.alloc(0);
    return results;
  }

  #send(message) {
    for (let offset = 0; offset < message.length; offset += kPipeBytes) {
      const part = message.subarray(offset, offset + kPipeBytes);
      this.module.HEAPU8.set(part, this.pipe);
      this.module.ccall('trace_processor_on_rpc_request', 'void', ['number'], [part.length]);
    }
  }
}

function refuse(error) {
  if (error?.length) throw new Error(error.toString());
}

// QueryResult.CellsBatch: the cells' types in a row, and their values by type.
function readBatch(batch, columns, rows) {
  const parts = byteFields(batch);
  const blobs = [];
  const reader = new Reader(batch);
  for (const [field, wireType] of reader.fields()) {
    if (field === 4) blobs.push(reader.bytes());
    else reader.skip(wireType);
  }
  const cells = new Reader(parts[1] ?? Buffer.alloc(0));
  const integers = new Reader(parts[2]);
  const doubles = new Reader(parts[3]);
  const strings = parts[5]?.toString().split('\0')[Symbol.iterator]();
  const read = {
    [kNull]: () => null,
    [kInteger]: () => integers.signed(),
    [kDouble]: () => doubles.double(),
    [kString]: () => strings.next().value,
    [kBlob]: () => blobs.shift(),
  };
  while (cells.more) {
    const row = [];
    while (row.length < columns) row.push(read[cells.unsigned()]());
    rows.push(row);
  }
}
