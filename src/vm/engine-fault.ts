// What goes wrong inside the engine, as faults: traps, the host's own stack, memory that is not there.

import { type Fault, fault, isFault } from "../contract/fault.ts";

/** Passes an address on. @throws Fault `memory_limit` when it is 0: the engine could not allocate */
export function nonZero(address: number): number {
  if (address === 0) throw fault("memory_limit", "The script's memory is full: the engine could not allocate.");
  return address;
}

/**
 * Anything thrown while guest code ran, as a fault. A fault stays what it is; what neither the engine nor
 * its stack threw is a defect of ours.
 */
export function asGuestFault(error: unknown): Fault {
  if (isFault(error)) return error;
  const { name, message } = error instanceof Error ? error : { name: "a value", message: String(error) };
  if (name === "RangeError" && message.includes("call stack")) {
    return fault("stack_overflow", `The script recursed deeper than the engine can go: ${message}.`);
  }
  if (name === "RuntimeError") return fault("guest_crashed", `The engine stopped with: ${message}.`);
  return fault("internal", `The VM's host failed with ${name}: ${message}.`, { cause: error });
}
