// A clock on which short pauses are over at once and long ones never end by themselves: retries need no
// waiting, and time-outs do not strike.

import type { Clock, Timer } from "../../src/contract/clock.ts";

export const SHORT_PAUSE_MS_MAX = 5_000;

export class EagerClock implements Clock {
  #elapsedMs = 0;
  readonly #shortMsMax: number;
  /** Pauses that were asked for, in order. */
  readonly pausesMs: number[] = [];

  /** @param shortMsMax pauses up to this long are over at once, milliseconds */
  constructor(shortMsMax = SHORT_PAUSE_MS_MAX) {
    this.#shortMsMax = shortMsMax;
  }

  now(): number {
    return 1_800_000_000_000 + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    if (delayMs > this.#shortMsMax) return { cancel: () => {} };
    this.pausesMs.push(delayMs);
    const handle = setImmediate(() => {
      this.#elapsedMs += delayMs;
      run();
    });
    return { cancel: () => clearImmediate(handle) };
  }
}
