// Which promises are rejected and unheard at this moment (G-015). The engine tells of each rejection and
// of each handler that comes late; a promise that stands here is held in memory, so that its address
// cannot become another promise before the slice ends.

import { OBJECT } from "./engine-pin.ts";
import type { Instance } from "./instance.ts";
import { describeReason, type ThrownText } from "./thrown.ts";

export class RejectionLedger {
  /** Addresses in the order of the rejections. */
  readonly #open = new Set<number>();

  note(instance: Instance, promise: number, handled: boolean): void {
    const count = instance.memory.word(promise + OBJECT.refCount);
    if (!handled) {
      this.#open.add(promise);
      instance.memory.setWord(promise + OBJECT.refCount, count + 1);
    } else if (this.#open.delete(promise)) {
      // Whoever attaches the handler holds the promise too, so this never frees it.
      instance.memory.setWord(promise + OBJECT.refCount, count - 1);
    }
  }

  /** The first promise that nobody listened to until now, or null. Forgets and lets go of all. */
  settle(instance: Instance): ThrownText | null {
    if (this.#open.size === 0) return null;
    let first: ThrownText | null = null;
    for (const promise of this.#open) {
      first ??= describeReason(instance, promise);
      instance.releaseObject(promise);
    }
    this.#open.clear();
    return first;
  }
}
