// What two states of some 4 KiB pages differ by. Most of it is zero, so it is kept as the XORed words
// that are not zero and, apart from them, as the lengths of the runs between and of them; then deflated.

import { deflate, inflate } from "./deflate.ts";
import { PAGE_WORDS } from "./layout.ts";

const RUN_BYTES_MAX = 2;
const SCRATCH_WORDS = 16 * PAGE_WORDS;
/** A larger scratch is let go of after use. */
const SCRATCH_WORDS_KEPT = 1024 * PAGE_WORDS;

export interface PageDifference {
  /** Page numbers, ascending. */
  pages: number[];
  /** Words that differ, XORed, of all pages in order. */
  words: Uint32Array;
  /** For each page: (same words, other words)… as LEB128, until they make a page. */
  runs: Uint8Array;
}

/** Collects a difference page by page. One thread writes one at a time, in buffers that it keeps. */
export class DifferenceWriter {
  readonly #pages: number[] = [];
  #wordCount = 0;
  #runBytes = 0;

  /** Adds a page that is now at `nowAt` of `now` and was at `wasAt` of `was`, in words. */
  add(page: number, now: Uint32Array, nowAt: number, was: Uint32Array, wasAt: number): void {
    this.#pages.push(page);
    reserve(this.#wordCount + PAGE_WORDS);
    const words = scratchWords;
    let out = this.#wordCount;
    let at = 0;
    while (at < PAGE_WORDS) {
      const sameFrom = at;
      while (at < PAGE_WORDS && now[nowAt + at] === was[wasAt + at]) at++;
      const otherFrom = at;
      // A single equal word between others costs less than a new run.
      while (at < PAGE_WORDS) {
        const word = (now[nowAt + at] ?? 0) ^ (was[wasAt + at] ?? 0);
        if (word === 0 && (at + 1 >= PAGE_WORDS || now[nowAt + at + 1] === was[wasAt + at + 1])) break;
        words[out++] = word;
        at++;
      }
      this.#writeRun(otherFrom - sameFrom);
      this.#writeRun(at - otherFrom);
    }
    this.#wordCount = out;
  }

  /** The difference; valid until the thread's next writer takes its first page. */
  finish(): PageDifference {
    const words = scratchWords.subarray(0, this.#wordCount);
    const runs = scratchRuns.subarray(0, this.#runBytes);
    if (scratchWords.length > SCRATCH_WORDS_KEPT) makeScratch(SCRATCH_WORDS);
    return { pages: this.#pages, words, runs };
  }

  #writeRun(length: number): void {
    if (length < 128) scratchRuns[this.#runBytes++] = length;
    else {
      scratchRuns[this.#runBytes++] = (length & 127) | 128;
      scratchRuns[this.#runBytes++] = length >>> 7;
    }
  }
}

/** XORs a difference into `words`, the words of a whole memory. */
export function applyDifference(difference: PageDifference, words: Uint32Array): void {
  const reader = new RunReader(difference.runs);
  let from = 0;
  for (const page of difference.pages) {
    const end = (page + 1) * PAGE_WORDS;
    let at = page * PAGE_WORDS;
    while (at < end) {
      at += reader.next();
      const until = at + reader.next();
      for (; at < until; at++) words[at] = (words[at] ?? 0) ^ (difference.words[from++] ?? 0);
    }
  }
}

export interface DeflatedDifference {
  /** Length of `words` and of `runs`, before the deflation. */
  wordCount: number;
  runBytes: number;
  bytes: Buffer;
}

export function deflateDifference({ words, runs }: PageDifference): DeflatedDifference {
  const plain = Buffer.allocUnsafe(4 * words.length + runs.length);
  plain.set(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
  plain.set(runs, words.byteLength);
  return { wordCount: words.length, runBytes: runs.length, bytes: deflate(plain) };
}

/** The difference again, or undefined when it is not what `deflateDifference` gives for these pages. */
export function inflateDifference(pages: number[], deflated: DeflatedDifference): PageDifference | undefined {
  const { wordCount, runBytes } = deflated;
  const byteCount = 4 * wordCount + runBytes;
  if (wordCount > pages.length * PAGE_WORDS || runBytes > pages.length * PAGE_WORDS * RUN_BYTES_MAX) return undefined;
  const plain = inflate(deflated.bytes, byteCount);
  if (plain?.length !== byteCount) return undefined;
  const aligned = plain.byteOffset % 4 === 0 ? plain : Buffer.from(new Uint8Array(plain));
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, wordCount);
  const difference = { pages, words, runs: aligned.subarray(4 * wordCount) };
  return isWhole(difference) ? difference : undefined;
}

/** Whether the runs make whole pages and use up the words. */
function isWhole({ pages, words, runs }: PageDifference): boolean {
  const reader = new RunReader(runs);
  let used = 0;
  for (let page = 0; page < pages.length; page++) {
    let at = 0;
    while (at < PAGE_WORDS) {
      const same = reader.next();
      const other = reader.next();
      if (same + other === 0) return false;
      at += same + other;
      used += other;
    }
    if (at !== PAGE_WORDS) return false;
  }
  return used === words.length && reader.at === runs.length;
}

class RunReader {
  at = 0;
  readonly #runs: Uint8Array;

  constructor(runs: Uint8Array) {
    this.#runs = runs;
  }

  /** The next length; after the end of the bytes it is 0. */
  next(): number {
    const low = this.#runs[this.at++] ?? 0;
    return low < 128 ? low : (low & 127) | ((this.#runs[this.at++] ?? 0) << 7);
  }
}

let scratchWords = new Uint32Array(0);
let scratchRuns = new Uint8Array(0);
makeScratch(SCRATCH_WORDS);

function makeScratch(wordCount: number): void {
  scratchWords = new Uint32Array(wordCount);
  // At worst every third word begins a new pair of runs, each at most 2 bytes long.
  scratchRuns = new Uint8Array(wordCount * RUN_BYTES_MAX);
}

function reserve(wordCount: number): void {
  if (scratchWords.length >= wordCount) return;
  const words = scratchWords;
  const runs = scratchRuns;
  makeScratch(2 * wordCount);
  scratchWords.set(words);
  scratchRuns.set(runs);
}
