// Two changes to the engine's binary, made in memory at start: a smaller minimum for the imported
// memory (copies and snapshots get 3 times cheaper), and an export of the function table (the engine
// then tells the host of rejected promises, see rejections.ts). Everything else stays byte for byte.

import { fault } from "../contract/fault.ts";

const HEADER_BYTES = 8;
const SECTION_IMPORT = 2;
const SECTION_EXPORT = 7;
const KIND_FUNCTION = 0;
const KIND_TABLE = 1;
const KIND_MEMORY = 2;
const KIND_GLOBAL = 3;
const LIMITS_HAVE_MAXIMUM = 1;

interface Cursor {
  bytes: Uint8Array;
  at: number;
}

/**
 * Rewrites the minimum of the imported memory (its maximum is kept) and exports table 0 as `tableName`.
 * @throws Fault `internal` when the binary has no memory import or a form that is not understood
 */
export function patchEngine(binary: Uint8Array, minPages: number, tableName: string): Uint8Array {
  const parts: Uint8Array[] = [binary.subarray(0, HEADER_BYTES)];
  const cursor: Cursor = { bytes: binary, at: HEADER_BYTES };
  let patched = 0;
  while (cursor.at < binary.length) {
    const id = readByte(cursor);
    const length = readLeb(cursor);
    let body = binary.subarray(cursor.at, cursor.at + length);
    cursor.at += length;
    if (id === SECTION_IMPORT) {
      body = withMemoryMinimum(body, minPages);
      patched++;
    } else if (id === SECTION_EXPORT) {
      body = withTableExport(body, tableName);
      patched++;
    }
    parts.push(Uint8Array.of(id), leb(body.length), body);
  }
  if (patched !== 2) throw fault("internal", "The engine's binary has no import or export section.");
  return Buffer.concat(parts);
}

function withMemoryMinimum(body: Uint8Array, minPages: number): Uint8Array {
  const cursor: Cursor = { bytes: body, at: 0 };
  const count = readLeb(cursor);
  for (let i = 0; i < count; i++) {
    skip(cursor, readLeb(cursor));
    skip(cursor, readLeb(cursor));
    const kind = readByte(cursor);
    if (kind === KIND_FUNCTION) readLeb(cursor);
    else if (kind === KIND_GLOBAL) skip(cursor, 2);
    else if (kind === KIND_TABLE) {
      skip(cursor, 1);
      const flags = readByte(cursor);
      readLeb(cursor);
      if (flags & LIMITS_HAVE_MAXIMUM) readLeb(cursor);
    } else if (kind === KIND_MEMORY) {
      if (readByte(cursor) !== LIMITS_HAVE_MAXIMUM) break;
      const start = cursor.at;
      readLeb(cursor);
      return Buffer.concat([body.subarray(0, start), leb(minPages), body.subarray(cursor.at)]);
    } else break;
  }
  throw fault("internal", "The engine's binary imports no memory with a minimum and a maximum.");
}

function withTableExport(body: Uint8Array, name: string): Uint8Array {
  const cursor: Cursor = { bytes: body, at: 0 };
  const count = readLeb(cursor);
  const text = Buffer.from(name);
  const entry = Buffer.concat([leb(text.length), text, Uint8Array.of(KIND_TABLE, 0)]);
  return Buffer.concat([leb(count + 1), body.subarray(cursor.at), entry]);
}

function readByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at++];
  if (byte === undefined) throw fault("internal", `The engine's binary ends inside a section, at byte ${cursor.at}.`);
  return byte;
}

function skip(cursor: Cursor, count: number): void {
  cursor.at += count;
}

function readLeb(cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = readByte(cursor);
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return value;
  }
}

function leb(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) {
      bytes.push(rest);
      return Uint8Array.from(bytes);
    }
    bytes.push((rest & 127) | 128);
  }
}
