// Waits that end by the machine's time, for what happens while something is being closed.

import { systemClock } from "../contract/clock.ts";

/** Resolves when `work` has ended, however, or after `delayMs`. */
export function endedAfter(work: Promise<unknown>, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = systemClock.setTimer(delayMs, resolve);
    const end = (): void => {
      timer.cancel();
      resolve();
    };
    work.then(end, end);
  });
}
