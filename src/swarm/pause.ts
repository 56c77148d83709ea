// Pauses that end early at shutdown, so that nothing outlives its owner (L7).

import type { Clock } from "../contract/clock.ts";

export class Pause {
  readonly #clock: Clock;
  readonly #pending = new Set<() => void>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms` milliseconds, or at once when closed. */
  for(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.#pending.delete(end);
        resolve();
      };
      const timer = this.#clock.setTimer(ms, end);
      this.#pending.add(end);
    });
  }

  close(): void {
    this.#closed = true;
    for (const end of [...this.#pending]) end();
  }
}
