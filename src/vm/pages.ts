// Which 4 KiB pages of a VM's memory differ from what was stored last, and by which bits. Holds a copy
// of the pages that differ from the base image, not of the whole memory. The C stack is no part of a
// snapshot: it is dead when one is taken.

import type { BaseImage } from "./base-image.ts";
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

/** Changed pages, ascending, and for each its words XORed with what they were. */
export interface PageDifference {
  pages: number[];
  /** `pages.length` × PAGE_WORDS words; only valid until the next difference is taken. */
  words: Uint32Array;
}

const ZERO_PAGE = Buffer.alloc(PAGE_BYTES);
const ZERO_WORDS = new Uint32Array(PAGE_WORDS);
/** One thread takes one difference at a time. */
let scratch: Uint32Array = new Uint32Array(PAGE_WORDS * GROW_PAGES);

export class PageStore {
  readonly #base: Buffer;
  readonly #baseWords: Uint32Array;
  readonly #basePages: number;
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

  /** Pages that are kept because they differ from the base image. */
  get keptPages(): number {
    return this.#slotCount;
  }

  /** What changed since the last call; the store then holds the new state. */
  advance(memory: GuestMemory): PageDifference {
    const bytes = memory.bytes;
    const words = memory.words;
    clearStackRest(memory);
    const end = Math.ceil(heapEnd(memory) / PAGE_BYTES);
    this.#reserveSlots(end);
    const pages: number[] = [];
    for (let page = 0; page < end; page++) {
      if (page === STACK_FIRST_PAGE) page = STACK_END_PAGE;
      if (this.#isSame(bytes, page)) continue;
      this.#take(words, page, pages.length);
      pages.push(page);
    }
    return { pages, words: scratch };
  }

  /** All that differs from the base image, as of the last `advance`. */
  whole(): PageDifference {
    const pages: number[] = [];
    for (let page = 0; page < this.#slots.length; page++) {
      const slot = this.#slots[page] ?? NO_SLOT;
      if (slot === NO_SLOT) continue;
      reserveScratch(pages.length);
      const reference = this.#baseWordsOf(page);
      const from = slot * PAGE_WORDS;
      const to = pages.length * PAGE_WORDS;
      for (let i = 0; i < PAGE_WORDS; i++) scratch[to + i] = (this.#keptWords[from + i] ?? 0) ^ (reference[i] ?? 0);
      pages.push(page);
    }
    return { pages, words: scratch };
  }

  /** Writes the base image into an empty memory. */
  fillBase(memory: GuestMemory): void {
    writeLivePages(memory, this.#base);
  }

  /** Replays a stored difference onto a memory and keeps the result as the state. */
  apply(memory: GuestMemory, difference: PageDifference): void {
    const words = memory.words;
    const last = difference.pages.at(-1);
    if (last !== undefined) this.#reserveSlots(last + 1);
    difference.pages.forEach((page, index) => {
      const at = page * PAGE_WORDS;
      const from = index * PAGE_WORDS;
      for (let i = 0; i < PAGE_WORDS; i++) words[at + i] = (words[at + i] ?? 0) ^ (difference.words[from + i] ?? 0);
      this.#keep(words, page);
    });
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

  #take(words: Uint32Array, page: number, index: number): void {
    reserveScratch(index);
    const slot = this.#slots[page] ?? NO_SLOT;
    const reference = slot === NO_SLOT ? this.#baseWordsOf(page) : this.#keptWords.subarray(slot * PAGE_WORDS);
    const at = page * PAGE_WORDS;
    const to = index * PAGE_WORDS;
    for (let i = 0; i < PAGE_WORDS; i++) scratch[to + i] = (words[at + i] ?? 0) ^ (reference[i] ?? 0);
    this.#keep(words, page);
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

  #baseWordsOf(page: number): Uint32Array {
    const index = liveIndex(page);
    if (index >= this.#basePages) return ZERO_WORDS;
    return this.#baseWords.subarray(index * PAGE_WORDS, (index + 1) * PAGE_WORDS);
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

function reserveScratch(index: number): void {
  if (scratch.length >= (index + 1) * PAGE_WORDS) return;
  const grown = new Uint32Array(2 * scratch.length);
  grown.set(scratch);
  scratch = grown;
}

function wordsOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
