// Waiting that ends: by its time, or at once when it is aborted. Neither leaves a timer or a
// listener behind (law L7).

import type { Clock } from "../../contract/clock.ts";

/**
 * Resolves with true after `delayMs` milliseconds of `clock`, with false as soon as `signal` aborts.
 * 0 asks for no timer at all; Infinity waits for the signal only.
 */
export function delayUnlessAborted(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  if (delayMs <= 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      timer?.cancel();
      resolve(false);
    };
    const onTime = (): void => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = Number.isFinite(delayMs) ? clock.setTimer(delayMs, onTime) : undefined;
  });
}
