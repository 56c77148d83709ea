// Instances that a run has left, wiped and kept for the next one: a new one costs 0.3 ms, and its 5 MiB
// push V8 into a collection every few restores. An instance's whole state is its memory (the one global
// of the module is the stack pointer, at rest), so wiping the memory wipes the tenant.

import type { Engine } from "./engine.ts";
import { STACK } from "./engine-pin.ts";
import { heapEnd } from "./heap.ts";
import { GUEST_STACK_BYTES, Instance } from "./instance.ts";
import { PAGE_BYTES, STACK_END_PAGE, STACK_FIRST_PAGE } from "./layout.ts";
import { WASM_PAGE_BYTES } from "./wasm-types.ts";

const KEPT_MAX = 4;
/** Larger memories are not kept. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

export class InstanceShelf {
  readonly #engine: Engine;
  readonly #kept: Instance[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** An instance with an empty memory of at least `pages` and at most `maxPages` WASM pages. */
  async take(pages: number, maxPages: number): Promise<Instance> {
    const byteCount = pages * WASM_PAGE_BYTES;
    const index = this.#kept.findIndex(({ memory }) => memory.maxPages === maxPages && memory.byteLength >= byteCount);
    const [found] = index < 0 ? [] : this.#kept.splice(index, 1);
    return found ?? Instance.open(this.#engine, pages, maxPages);
  }

  /** Takes an instance back from a VM that ended well. */
  put(instance: Instance): void {
    if (this.#kept.length >= KEPT_MAX || instance.memory.byteLength > KEPT_BYTES_MAX || !instance.atRest()) return;
    wipe(instance);
    this.#kept.push(instance);
  }
}

/** Zeroes all that a guest can have touched. No frame of the stack is larger than the guest's stack limit. */
function wipe(instance: Instance): void {
  const { memory } = instance;
  const { bytes } = memory;
  bytes.fill(0, STACK_END_PAGE * PAGE_BYTES, Math.min(heapEnd(memory), bytes.length));
  bytes.fill(0, 0, STACK_FIRST_PAGE * PAGE_BYTES);
  let end = STACK_END_PAGE * PAGE_BYTES;
  do {
    bytes.fill(0, end - GUEST_STACK_BYTES, end);
    end -= GUEST_STACK_BYTES;
  } while (end - GUEST_STACK_BYTES > STACK.low && !isZero(bytes.subarray(end - GUEST_STACK_BYTES, end)));
}

const ZERO_WINDOW = Buffer.alloc(GUEST_STACK_BYTES);

function isZero(window: Buffer): boolean {
  return window.equals(ZERO_WINDOW);
}
