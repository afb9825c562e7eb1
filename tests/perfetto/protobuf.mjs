// Protocol buffers, as far as the trace processor's interface and small test traces need them.

// ---- writing: each function returns the bytes of one field ----

export function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

export const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);

export function bytes(field, ...parts) {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

export function fixed64(field, value) {
  const content = Buffer.alloc(8);
  content.writeBigUInt64LE(BigInt(value));
  return Buffer.concat([varint((field << 3) | 1), content]);
}

// ---- reading ----

export const kVarint = 0;
export const kFixed64 = 1;
export const kBytes = 2;
export const kFixed32 = 5;

export class Reader {
  constructor(buffer) {
    this.buffer = buffer;
    this.position = 0;
  }

  get more() {
    return this.position < this.buffer.length;
  }

  // Unsigned, for tags and lengths: exact below 2^53.
  unsigned() {
    let result = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.buffer[this.position++];
      result += (byte & 127) * factor;
      if (byte < 128) return result;
    }
  }

  // int64: a Number where that is exact, else a BigInt.
  signed() {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.buffer[this.position++];
      result |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    result = BigInt.asIntN(64, result);
    return Number.isSafeInteger(Number(result)) ? Number(result) : result;
  }

  double() {
    this.position += 8;
    return this.buffer.readDoubleLE(this.position - 8);
  }

  bytes() {
    const length = this.unsigned();
    this.position += length;
    return this.buffer.subarray(this.position - length, this.position);
  }

  skip(wireType) {
    if (wireType === kVarint) this.unsigned();
    else if (wireType === kFixed64) this.position += 8;
    else if (wireType === kBytes) this.bytes();
    else if (wireType === kFixed32) this.position += 4;
    else throw new Error(`unknown wire type ${wireType}`);
  }

  // [field, wire type] of each field; the caller reads or skips its value before the next.
  *fields() {
    while (this.more) {
      const tag = this.unsigned();
      yield [Math.floor(tag / 8), tag & 7];
    }
  }
}

// The last length-delimited value of each field of `message`, by field number.
export function byteFields(message) {
  const found = {};
  const reader = new Reader(message);
  for (const [field, wireType] of reader.fields()) {
    if (wireType === kBytes) found[field] = reader.bytes();
    else reader.skip(wireType);
  }
  return found;
}
