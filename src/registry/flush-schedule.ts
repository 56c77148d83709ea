// When a batch is committed: at the end of the event-loop turn in which it was opened; a little later
// when somebody said that a write which belongs with it is about to come. The wait is bounded, so an
// owner of a hold that takes long delays nobody for more than HOLD_MS_MAX (L10). The bound is on the
// machine's clock, because it is about the disk and not about any moment that a script could see.

import { systemClock, type Timer } from "../contract/clock.ts";

/** Longest time that holds put off a commit which is due. */
export const HOLD_MS_MAX = 2;

export class FlushSchedule {
  readonly #flush: () => void;
  #immediate: NodeJS.Immediate | undefined;
  #holds = 0;
  /** Runs while a commit is due and held. */
  #bound: Timer | undefined;

  constructor(flush: () => void) {
    this.#flush = flush;
  }

  /** A batch was opened. */
  opened(): void {
    this.#immediate ??= setImmediate(() => {
      this.#immediate = undefined;
      if (this.#holds === 0) this.#flush();
      else this.#bound ??= systemClock.setTimer(HOLD_MS_MAX, () => this.#flush());
    });
  }

  /** The batch was committed or taken back. */
  done(): void {
    if (this.#immediate) clearImmediate(this.#immediate);
    this.#immediate = undefined;
    this.#bound?.cancel();
    this.#bound = undefined;
  }

  /** Returns the end of the hold; calling it again does nothing. */
  hold(): () => void {
    this.#holds += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#holds -= 1;
      if (this.#holds === 0 && this.#bound) this.#flush();
    };
  }
}
