// The linear memory in 4 KiB pages. A snapshot and a base image hold the live pages only: the statics
// below the C stack and the heap above it. The stack itself is dead whenever one of them is taken.

import { MIN_WASM_PAGES, STACK } from "./engine-pin.ts";
import type { GuestMemory } from "./guest-memory.ts";
import { WASM_PAGE_BYTES } from "./wasm-types.ts";

export const PAGE_BYTES = 4096;
export const PAGE_WORDS = PAGE_BYTES / 4;
/** The first page that lies wholly in the C stack, and the page that holds the stack's top. */
export const STACK_FIRST_PAGE = Math.ceil(STACK.low / PAGE_BYTES);
export const STACK_END_PAGE = Math.floor(STACK.top / PAGE_BYTES);
/** Live pages that every VM has. */
export const LIVE_PAGES_MIN = (MIN_WASM_PAGES * WASM_PAGE_BYTES) / PAGE_BYTES - (STACK_END_PAGE - STACK_FIRST_PAGE);

export function isLivePage(page: number): boolean {
  return page < STACK_FIRST_PAGE || page >= STACK_END_PAGE;
}

/** The number of a live page among the live pages. */
export function liveIndex(page: number): number {
  return page < STACK_FIRST_PAGE ? page : page - (STACK_END_PAGE - STACK_FIRST_PAGE);
}

/** Zeroes the rest of the dead stack in the one live page that has some. */
export function clearStackRest(memory: GuestMemory): void {
  memory.bytes.fill(0, STACK_END_PAGE * PAGE_BYTES, STACK.top);
}

/** A copy of the live pages, back to back. */
export function copyLivePages(memory: GuestMemory): Buffer {
  const bytes = memory.bytes;
  return Buffer.concat([bytes.subarray(0, STACK_FIRST_PAGE * PAGE_BYTES), bytes.subarray(STACK_END_PAGE * PAGE_BYTES)]);
}

/** Writes live pages, as `copyLivePages` gave them, into an empty memory. */
export function writeLivePages(memory: GuestMemory, live: Buffer): void {
  live.copy(memory.bytes, 0, 0, STACK_FIRST_PAGE * PAGE_BYTES);
  live.copy(memory.bytes, STACK_END_PAGE * PAGE_BYTES, STACK_FIRST_PAGE * PAGE_BYTES);
}
