// A clock that stands still until a test advances it. Timers that come due run in due order.

import type { Clock, Timer } from "../../src/contract/clock.ts";

interface Entry {
  due: number;
  order: number;
  run: () => void;
}

export class ManualClock implements Clock {
  #now: number;
  #elapsed = 0;
  #order = 0;
  readonly #entries = new Set<Entry>();

  constructor(startMs = 1_800_000_000_000) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    const entry: Entry = { due: this.#elapsed + Math.max(delayMs, 0), order: this.#order++, run };
    this.#entries.add(entry);
    return { cancel: () => void this.#entries.delete(entry) };
  }

  /** Moves time on by `ms` milliseconds and runs what comes due, in order. */
  advance(ms: number): void {
    const target = this.#elapsed + ms;
    for (;;) {
      const due = [...this.#entries]
        .filter((entry) => entry.due <= target)
        .sort((a, b) => a.due - b.due || a.order - b.order)[0];
      if (!due) break;
      this.#entries.delete(due);
      this.#step(due.due - this.#elapsed);
      due.run();
    }
    this.#step(target - this.#elapsed);
  }

  /** Sets the wall clock without moving elapsed time, as an operator or NTP does. */
  jump(ms: number): void {
    this.#now += ms;
  }

  get timerCount(): number {
    return this.#entries.size;
  }

  #step(ms: number): void {
    this.#now += ms;
    this.#elapsed += ms;
  }
}
