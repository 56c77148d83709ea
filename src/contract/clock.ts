// The clock and the only source of randomness. Everything that waits or stamps a time is handed
// a Clock, so that tests advance time instead of sleeping.

import { randomBytes } from "node:crypto";

/** A timer that has one owner, which ends it with `cancel` (law L7). */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations only. */
  monotonic(): number;
  /** Calls `run` once after `delayMs` milliseconds (0 = as soon as possible). */
  setTimer(delayMs: number, run: () => void): Timer;
}

/** The longest delay that Node's own timers can hold; longer ones are re-armed in pieces. */
export const TIMER_PIECE_MS = 2_147_483_647;

/** The machine's clock. Timers keep the process alive until they are cancelled or have run. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, run) {
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      const piece = Math.min(Math.max(left, 0), TIMER_PIECE_MS);
      handle = setTimeout(() => (left > piece ? arm(left - piece) : run()), piece);
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** `byteCount` random bytes as lower-case hexadecimal text. */
export function randomHex(byteCount: number): string {
  return randomBytes(byteCount).toString("hex");
}

/** `byteCount` random bytes, for keys. */
export function randomKey(byteCount: number): Uint8Array {
  return randomBytes(byteCount);
}
