// One tree of signals: stopping a run stops all that it started, a deadline only its own call (B-007). Whoever
// makes a branch ends it, so that nothing stays with a signal that outlives it (L7).

import { setMaxListeners } from "node:events";
import type { Clock } from "../contract/clock.ts";
import { type Fault, fault } from "../contract/fault.ts";

export interface Branch {
  signal: AbortSignal;
  abort(reason: Fault): void;
  /** Lets go of the parent and of the deadline. */
  end(): void;
}

export interface BranchOptions {
  parents?: readonly (AbortSignal | undefined)[];
  clock?: Clock;
  deadlineMs?: number | undefined;
  /** Who runs out of time, for the message. */
  what?: string;
}

export function branchOf({ parents = [], clock, deadlineMs, what = "The call" }: BranchOptions): Branch {
  const controller = new AbortController();
  // A run has as many listeners as calls under way; Node would take more than ten for a leak.
  setMaxListeners(0, controller.signal);
  const abort = (reason: Fault): void => controller.abort(reason);
  const onAbort = (): void => abort(fault("agency_stopped", "The run was stopped."));
  const given = parents.filter((parent) => parent !== undefined);
  for (const parent of given) {
    if (parent.aborted) onAbort();
    else parent.addEventListener("abort", onAbort, { once: true });
  }
  const late = (): void => abort(fault("child_timeout", `${what} took longer than ${deadlineMs} ms.`));
  const timer = deadlineMs === undefined || !clock ? undefined : clock.setTimer(deadlineMs, late);
  return {
    signal: controller.signal,
    abort,
    end: () => {
      timer?.cancel();
      for (const parent of given) parent.removeEventListener("abort", onAbort);
    },
  };
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as it aborts. */
export function untilAborted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    const end = (): void => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(end);
  });
}
