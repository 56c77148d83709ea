// Which 4 KiB pages of a VM's memory differ from what was stored last, and by which bits. Holds a copy
// of the pages that differ from the base image, not of the whole memory. The C stack is no part of a
// snapshot: it is dead when one is taken.

import type { BaseImage } from "./base-image.ts";
import { applyDifference, DifferenceWriter, type PageDifference } from "./difference.ts";
import type { GuestMemory } from "./guest-memory.ts";
import { heapEnd } from "./heap.ts";
import {
  clearStackRest,
  liveIndex,
  PAGE_BYTES,
  PAGE_WORDS,
  STACK_END_PAGE,
  STACK_FIRST_PAGE,
  writeLivePages,
} from "./layout.ts";

const GROW_PAGES = 32;
const NO_SLOT = -1;

const ZERO_PAGE = Buffer.alloc(PAGE_BYTES);
const ZERO_WORDS = new Uint32Array(PAGE_WORDS);

export class PageStore {
  readonly #base: Buffer;
  readonly #baseWords: Uint32Array;
  readonly #basePages: number;
  /** For each page its place among the kept ones, or NO_SLOT: it is as in the base image. */
  #slots = new Int32Array(0);
  #slotCount = 0;
  #kept: Buffer = Buffer.alloc(0);
  #keptWords: Uint32Array = new Uint32Array(0);

  /** @param base the image that the VM began as; the store is then at the state "nothing differs" */
  constructor(base: BaseImage) {
    this.#base = base.live;
    this.#baseWords = wordsOf(base.live);
    this.#basePages = base.live.length / PAGE_BYTES;
  }

  /** What changed since the last call; the store then holds the new state. */
  advance(memory: GuestMemory): PageDifference {
    clearStackRest(memory);
    const { bytes, words } = memory;
    const end = Math.ceil(heapEnd(memory) / PAGE_BYTES);
    this.#reserveSlots(end);
    const writer = new DifferenceWriter();
    for (let page = 0; page < end; page++) {
      if (page === STACK_FIRST_PAGE) page = STACK_END_PAGE;
      if (this.#isSame(bytes, page)) continue;
      const slot = this.#slots[page] ?? NO_SLOT;
      if (slot === NO_SLOT) this.#addAgainstBase(writer, page, words, page * PAGE_WORDS);
      else writer.add(page, words, page * PAGE_WORDS, this.#keptWords, slot * PAGE_WORDS);
      this.#keep(words, page);
    }
    return writer.finish();
  }

  /** All that differs from the base image, as of the last `advance`. */
  whole(): PageDifference {
    const writer = new DifferenceWriter();
    for (let page = 0; page < this.#slots.length; page++) {
      const slot = this.#slots[page] ?? NO_SLOT;
      if (slot !== NO_SLOT) this.#addAgainstBase(writer, page, this.#keptWords, slot * PAGE_WORDS);
    }
    return writer.finish();
  }

  /** Writes the base image into an empty memory, then the stored differences, and keeps the result as the state. */
  replay(memory: GuestMemory, differences: PageDifference[]): void {
    writeLivePages(memory, this.#base);
    const { words } = memory;
    const touched = new Set<number>();
    for (const difference of differences) {
      applyDifference(difference, words);
      for (const page of difference.pages) touched.add(page);
    }
    const pages = Uint32Array.from(touched).sort();
    this.#reserveSlots((pages.at(-1) ?? 0) + 1);
    for (const page of pages) this.#keep(words, page);
  }

  #isSame(bytes: Buffer, page: number): boolean {
    const at = page * PAGE_BYTES;
    const slot = this.#slots[page] ?? NO_SLOT;
    let reference = this.#kept;
    let from = slot * PAGE_BYTES;
    if (slot === NO_SLOT) {
      const index = liveIndex(page);
      const isInBase = index < this.#basePages;
      reference = isInBase ? this.#base : ZERO_PAGE;
      from = isInBase ? index * PAGE_BYTES : 0;
    }
    return bytes.compare(reference, from, from + PAGE_BYTES, at, at + PAGE_BYTES) === 0;
  }

  #addAgainstBase(writer: DifferenceWriter, page: number, now: Uint32Array, nowAt: number): void {
    const index = liveIndex(page);
    if (index < this.#basePages) writer.add(page, now, nowAt, this.#baseWords, index * PAGE_WORDS);
    else writer.add(page, now, nowAt, ZERO_WORDS, 0);
  }

  #keep(words: Uint32Array, page: number): void {
    let slot = this.#slots[page] ?? NO_SLOT;
    if (slot === NO_SLOT) {
      slot = this.#slotCount++;
      this.#slots[page] = slot;
      this.#reserveKept(this.#slotCount);
    }
    this.#keptWords.set(words.subarray(page * PAGE_WORDS, (page + 1) * PAGE_WORDS), slot * PAGE_WORDS);
  }

  #reserveSlots(pages: number): void {
    if (this.#slots.length >= pages) return;
    const grown = new Int32Array(pages + GROW_PAGES).fill(NO_SLOT);
    grown.set(this.#slots);
    this.#slots = grown;
  }

  #reserveKept(slots: number): void {
    if (this.#kept.length >= slots * PAGE_BYTES) return;
    const grown = Buffer.alloc((slots + (slots >> 2) + GROW_PAGES) * PAGE_BYTES);
    this.#kept.copy(grown);
    this.#kept = grown;
    this.#keptWords = wordsOf(grown);
  }
}

function wordsOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
