// A full or failing disk makes work wait and does not fail it (L6).

import type { Clock } from "../contract/clock.ts";
import { isFault } from "../contract/fault.ts";

const STORAGE_RETRY_MS = 500;

/** Repeats what a full or failing disk refuses, until it takes it or the attempt is over. */
export async function untilStored<Value>(
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const passes = isFault(error) && (error.code === "storage_full" || error.code === "storage_io");
      if (!passes || signal.aborted) throw error;
      await pauseOrAbort(clock, signal);
    }
  }
}

function pauseOrAbort(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.setTimer(STORAGE_RETRY_MS, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
