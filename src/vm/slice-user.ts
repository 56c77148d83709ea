// Who stands outside the VM while a slice runs in it: counts its fuel, its time and its output, gives
// it its clock, and keeps the first fault aside. Once it said stop it says stop for ever (L6, L10):
// whatever the guest makes of the interrupt, the slice has failed.

import type { Clock } from "../contract/clock.ts";
import { type Fault, fault } from "../contract/fault.ts";
import { utf8ByteCount } from "../contract/json.ts";
import type { Instance } from "./instance.ts";
import type { InstanceUser } from "./instance-user.ts";
import type { GuestMessage, SliceLimits } from "./port.ts";
import type { RejectionLedger } from "./rejection-ledger.ts";

export interface SliceClock {
  clock: Clock;
  /** The guest's wall clock at the start of the slice. */
  nowMs: number;
  /** The guest's wall clock at its first slice; `performance.now()` counts from there. */
  startedMs: number;
}

export class SliceUser implements InstanceUser {
  readonly messages: GuestMessage[] = [];
  fuel = 0;
  /** The first thing that went wrong; the slice has failed. */
  failure: Fault | null = null;
  readonly #limits: SliceLimits;
  readonly #time: SliceClock;
  readonly #ledger: RejectionLedger;
  readonly #beganMs: number;
  #instance: Instance;
  #outputBytes = 0;

  constructor(instance: Instance, limits: SliceLimits, time: SliceClock, ledger: RejectionLedger) {
    this.#instance = instance;
    this.#limits = limits;
    this.#time = time;
    this.#ledger = ledger;
    this.#beganMs = time.clock.monotonic();
  }

  elapsedMs(): number {
    return this.#time.clock.monotonic() - this.#beganMs;
  }

  wallMs(): number {
    return this.#time.nowMs + this.elapsedMs();
  }

  monotonicMs(): number {
    return this.wallMs() - this.#time.startedMs;
  }

  shouldStop(): boolean {
    this.fuel++;
    return this.isOver();
  }

  /** Whether the slice has failed, its deadline included. */
  isOver(): boolean {
    if (this.failure) return true;
    const { maxFuel, timeoutMs } = this.#limits;
    if (maxFuel !== undefined && this.fuel > maxFuel) {
      this.failure = fault("turn_timeout", `The script used more than its ${maxFuel} units of fuel in one turn.`);
    } else if (this.elapsedMs() > timeoutMs) {
      this.failure = turnTimeout(timeoutMs);
    }
    return this.failure !== null;
  }

  memoryRefused(): void {
    this.failure ??= fault(
      "memory_limit",
      `The script needs more than its ${this.#limits.memoryLimitBytes} bytes of memory.`,
    );
  }

  rejection(promise: number, handled: boolean): void {
    this.#ledger.note(this.#instance, promise, handled);
  }

  receive(op: number, id: number, method: string, json: string): void {
    if (this.failure) return;
    const { maxMessages, maxOutputBytes } = this.#limits;
    if (this.messages.length >= maxMessages) {
      this.failure = fault("too_many_calls", `The script sent more than ${maxMessages} messages in one turn.`);
      return;
    }
    this.#outputBytes += utf8ByteCount(method) + utf8ByteCount(json);
    if (this.#outputBytes > maxOutputBytes) {
      this.failure = fault("output_too_large", `The script sent more than ${maxOutputBytes} bytes in one turn.`);
      return;
    }
    this.messages.push({ op, id, method, json });
  }
}

/** The same words whether the interrupt or the watchdog ended the slice. */
export function turnTimeout(timeoutMs: number): Fault {
  return fault("turn_timeout", `The script ran for more than ${timeoutMs} ms in one turn.`);
}
