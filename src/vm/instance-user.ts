// Who runs in an engine instance: its clock, its limits and its outbox, as the instance asks for them.

import type { OutsideWorld } from "./host-imports.ts";
import type { RejectionTarget } from "./rejection-hook.ts";

export interface InstanceUser extends OutsideWorld, RejectionTarget {
  /** Asked every 10,000 steps or so; true ends the guest's code, and the guest cannot catch that. */
  shouldStop(): boolean;
  /** One call of `bridge`. */
  receive(op: number, id: number, method: string, json: string): void;
}

/** A user with a clock that stands still, no limits, and no interest in what is said. */
export function quietUser(wallMs: number): InstanceUser {
  return {
    wallMs: () => wallMs,
    monotonicMs: () => 0,
    memoryRefused: () => {},
    rejection: () => {},
    shouldStop: () => false,
    receive: () => {},
  };
}
