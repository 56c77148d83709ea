// Staying with a gateway that restarts: the same question again after a pause, a bounded number of times, and
// not once more when it is known to be gone.

import type { Clock } from "../../contract/clock.ts";
import { type FaultCode, fault, isFault } from "../../contract/fault.ts";

export const RECONNECT_FIRST_PAUSE_MS = 50;
export const RECONNECT_PAUSE_MS_MAX = 2_000;
/** Tries in a row without an answer; about half a minute. */
export const RECONNECT_TRIES_MAX = 20;

const PASSING: readonly FaultCode[] = ["gateway_unreachable", "storage_closed", "overloaded"];

/** Whether the gateway may be back in a moment. */
export function isPassing(error: unknown): boolean {
  return isFault(error) && PASSING.includes(error.code);
}

/** Whether the gateway at an address is known never to answer there again. */
export type IsGone = () => Promise<boolean>;

export interface Patience {
  /**
   * Waits before the next try. Throws `error` when the tries are used up, `gateway_unreachable` when the gateway is
   * gone, and the signal's reason when it aborts.
   */
  pause(error: unknown, signal?: AbortSignal): Promise<void>;
  /** The gateway has answered: the count begins anew. */
  reset(): void;
}

export function newPatience(clock: Clock, isGone?: IsGone): Patience {
  let tries = 0;
  return {
    reset: () => {
      tries = 0;
    },
    async pause(error, signal) {
      tries += 1;
      if (tries > RECONNECT_TRIES_MAX) throw error;
      if (await isGone?.()) throw fault("gateway_unreachable", "The gateway has ended.", { cause: error });
      const ms = Math.min(RECONNECT_FIRST_PAUSE_MS * 2 ** (tries - 1), RECONNECT_PAUSE_MS_MAX);
      await pauseFor(clock, ms, signal);
    },
  };
}

/** Asks until there is an answer or an error that will not pass by itself. */
export async function persistently<Value>(
  patience: Patience,
  signal: AbortSignal | undefined,
  ask: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await patience.pause(error, signal);
    }
  }
}

function pauseFor(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
