// Page differences as bytes: runs of zero words are counted, the rest is stored and then deflated. Most
// of a step is zero, so counting first makes the deflation small and quick.

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { PAGE_WORDS } from "./layout.ts";
import type { PageDifference } from "./pages.ts";

const DEFLATE_LEVEL = 1;
/** Longest run length as LEB128, bytes. */
const RUN_BYTES_MAX = 5;

/** One thread encodes one difference at a time. */
let scratch: Buffer = Buffer.alloc(64 * 1024);

export interface EncodedDifference {
  /** Bytes before the deflation; the reader needs it as a bound. */
  plainBytes: number;
  deflated: Buffer;
}

/** [zero words, other words, those words]… of all pages of a difference, deflated. */
export function encodeDifference(difference: PageDifference): EncodedDifference {
  const { words } = difference;
  const count = difference.pages.length * PAGE_WORDS;
  const bytes = Buffer.from(words.buffer, words.byteOffset, count * 4);
  let out = 0;
  for (let i = 0; i < count; ) {
    const zeroFrom = i;
    while (i < count && words[i] === 0) i++;
    const from = i;
    while (i < count && (words[i] !== 0 || (i + 1 < count && words[i + 1] !== 0))) i++;
    const byteCount = (i - from) * 4;
    if (scratch.length < out + byteCount + 2 * RUN_BYTES_MAX) scratch = grown(scratch, out + byteCount);
    out = writeRun(scratch, out, from - zeroFrom);
    out = writeRun(scratch, out, i - from);
    bytes.copy(scratch, out, from * 4, i * 4);
    out += byteCount;
  }
  return { plainBytes: out, deflated: deflateRawSync(scratch.subarray(0, out), { level: DEFLATE_LEVEL }) };
}

/** The words of `pageCount` pages, or undefined when the bytes are not what `encodeDifference` gives. */
export function decodeDifference(deflated: Uint8Array, plainBytes: number, pageCount: number): Uint32Array | undefined {
  const count = pageCount * PAGE_WORDS;
  if (plainBytes > count * 4 + 2 * RUN_BYTES_MAX * (count + 1)) return undefined;
  const plain = inflate(deflated, plainBytes);
  if (plain?.length !== plainBytes) return undefined;
  const words = new Uint32Array(count);
  const bytes = Buffer.from(words.buffer);
  const cursor = { at: 0 };
  let word = 0;
  while (word < count) {
    const zeros = readRun(plain, cursor);
    const others = readRun(plain, cursor);
    if (zeros + others === 0 || word + zeros + others > count || cursor.at + others * 4 > plain.length)
      return undefined;
    word += zeros;
    plain.copy(bytes, word * 4, cursor.at, cursor.at + others * 4);
    word += others;
    cursor.at += others * 4;
  }
  return cursor.at === plain.length ? words : undefined;
}

function inflate(deflated: Uint8Array, plainBytes: number): Buffer | undefined {
  try {
    return inflateRawSync(deflated, { maxOutputLength: Math.max(plainBytes, 1) });
  } catch {
    return undefined;
  }
}

function writeRun(bytes: Buffer, at: number, length: number): number {
  let rest = length;
  let out = at;
  while (rest >= 128) {
    bytes[out++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[out++] = rest;
  return out;
}

/** The next run's length; after the end of the bytes it is 0. */
function readRun(bytes: Buffer, cursor: { at: number }): number {
  let value = 0;
  for (let shift = 0; shift < 7 * RUN_BYTES_MAX; shift += 7) {
    const byte = bytes[cursor.at++] ?? 0;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return value;
  }
  return Number.POSITIVE_INFINITY;
}

function grown(bytes: Buffer, needed: number): Buffer {
  const next = Buffer.alloc(2 * needed + 64 * 1024);
  bytes.copy(next);
  return next;
}
