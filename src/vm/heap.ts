// Reads the allocator's own records in the linear memory: where the heap ends, and which bytes of it
// are free. Free bytes are zeroed before a snapshot: memory never shrinks, so without that a snapshot
// would carry what the script has long dropped, secrets included.

import { fault } from "../contract/fault.ts";
import { HEAP } from "./engine-pin.ts";
import type { GuestMemory } from "./guest-memory.ts";

const CHUNK_HEADER_BYTES = 8;
const CHUNK_IN_USE = 2;
const CHUNK_FLAGS = 7;
const CHUNK_BYTES_MIN = 16;
/** Free chunks from this size on are nodes of a tree, whose links take more of the chunk. */
const TREE_CHUNK_BYTES = 256;
const LIST_LINK_BYTES = 8;
const TREE_LINK_BYTES = 24;

/** Address after the last byte that the allocator has taken. */
export function heapEnd(memory: GuestMemory): number {
  return memory.word(HEAP.breakAt);
}

/**
 * Zeroes every free byte of the heap and returns how many bytes are in use.
 * @throws Fault `guest_crashed` when the chunks do not add up: the heap is corrupt and the VM must be dropped
 */
export function scrubHeap(memory: GuestMemory): number {
  const words = memory.words;
  const bytes = memory.bytes;
  const top = words[HEAP.topAt >>> 2] ?? 0;
  let chunk: number = HEAP.firstChunk;
  let used = 0;
  while (chunk < top) {
    const head = words[(chunk + 4) >>> 2] ?? 0;
    const size = (head & ~CHUNK_FLAGS) >>> 0;
    if (size < CHUNK_BYTES_MIN) break;
    if (head & CHUNK_IN_USE) used += size;
    else {
      const links = size < TREE_CHUNK_BYTES ? LIST_LINK_BYTES : TREE_LINK_BYTES;
      const from = chunk + CHUNK_HEADER_BYTES + links;
      if (from < chunk + size) zero(words, bytes, from, chunk + size);
    }
    chunk += size;
  }
  if (chunk !== top || (words[HEAP.nextSegmentAt >>> 2] ?? 0) !== 0) {
    throw fault("guest_crashed", `The script's heap is corrupt at address ${chunk}.`);
  }
  zero(words, bytes, top + CHUNK_HEADER_BYTES, top + (words[HEAP.topSizeAt >>> 2] ?? 0));
  return used;
}

/** Most words that are zeroed one by one; above, the call of `fill` pays. */
const LOOP_WORDS_MAX = 32;

function zero(words: Uint32Array, bytes: Buffer, from: number, to: number): void {
  if ((to - from) >>> 2 > LOOP_WORDS_MAX) bytes.fill(0, from, to);
  else for (let i = from >>> 2; i < to >>> 2; i++) words[i] = 0;
}
