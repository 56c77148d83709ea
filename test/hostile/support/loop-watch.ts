// How long the gateway's own thread did nothing else: a script, a schema or an answer that keeps it busy keeps
// everybody waiting.

import { monitorEventLoopDelay } from "node:perf_hooks";

/** A hang guard, not a measure: the costliest single thing takes about a tenth of it on a machine with other work. */
export const BLOCKED_MS_MAX = 10_000;
const NS_PER_MS = 1e6;

export interface LoopWatch {
  /** Longest time that the event loop stood still since the last asking, milliseconds. */
  blockedMs(): Promise<number>;
  end(): void;
}

export async function watchLoop(): Promise<LoopWatch> {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  /** What stands still is seen by the sample after it. */
  const sampled = async (): Promise<void> => {
    const { count } = delays;
    while (delays.count === count) await moment();
  };
  await sampled();
  return {
    async blockedMs() {
      await sampled();
      const { max } = delays;
      delays.reset();
      return Math.round(max / NS_PER_MS);
    },
    end: () => void delays.disable(),
  };
}

export function loopProblems(blockedMs: number): string[] {
  return blockedMs > BLOCKED_MS_MAX ? [`the gateway's thread stood still for ${blockedMs} ms`] : [];
}

/** One turn of the event loop. */
export function moment(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
