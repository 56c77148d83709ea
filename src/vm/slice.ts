// One slice: the answers go in one by one, each pumped to quiet before the next (L4); then the outbox,
// the rejections nobody heard and the snapshot come out. Whatever goes wrong is one Fault, and the VM
// is gone with it (L1: the run stays at its last snapshot).

import { type Clock, randomHex } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import { asGuestFault } from "./engine-fault.ts";
import type { GuestVm } from "./guest-vm.ts";
import type { Thrown } from "./instance.ts";
import type { Delivery, SliceLimits, SliceReport } from "./port.ts";
import { RejectionLedger } from "./rejection-ledger.ts";
import { SliceUser } from "./slice-user.ts";
import { describeThrown, type ThrownText } from "./thrown.ts";

/** Promise jobs between two looks at the deadline. */
const JOBS_PER_DRAIN = 256;
const SEED_BYTES = 16;

/** A slice as the worker gets it. */
export interface SliceJob {
  runId: string;
  turn: number;
  /** The run whose state is taken over, as it is after `turn`. */
  forkOf?: string | undefined;
  deliveries: Delivery[];
  limits: SliceLimits;
  nowMs: number;
}

export interface SliceRules {
  reseedOp: number;
  finalOps: number[];
}

/** What a slice needs of its thread. */
export interface SliceSurroundings {
  rules: SliceRules;
  clock: Clock;
  /** The guest's own time is over; the snapshot comes next. */
  guestDone(): void;
}

/**
 * Runs a slice in a VM that stands at turn `job.turn - 1`; a fork's stands at `job.turn` already.
 * @throws Fault as VmPool.slice says; the VM must be dropped then
 */
export function runSlice(vm: GuestVm, job: SliceJob, isRestored: boolean, around: SliceSurroundings): SliceReport {
  const { instance } = vm;
  const { rules, clock } = around;
  const nowMs = Math.max(job.nowMs, vm.wallMs);
  const isFresh = vm.turn === 0;
  if (isFresh) vm.startedMs = nowMs;
  const ledger = new RejectionLedger();
  const user = new SliceUser(instance, job.limits, { clock, nowMs, startedMs: vm.startedMs }, ledger);
  const slice: Slice = { vm, user, ledger, stray: null };
  try {
    if (isRestored || isFresh) deliver(slice, { op: rules.reseedOp, id: 0, a: randomHex(SEED_BYTES), b: "" });
    for (const delivery of job.deliveries) deliver(slice, delivery);
    return finish(slice, job, isRestored, around);
  } catch (error) {
    // What the slice had already failed for explains what the engine did then.
    throw user.failure ?? asGuestFault(error);
  }
}

/** What came out; the guest runs no more in this slice. */
function finish(slice: Slice, job: SliceJob, isRestored: boolean, around: SliceSurroundings): SliceReport {
  const { vm, user } = slice;
  if (!vm.instance.atRest()) throw fault("guest_crashed", "The script left the engine's stack in disorder.");
  const cpuMs = user.elapsedMs();
  const wallMs = user.wallMs();
  around.guestDone();
  const unhandled = slice.ledger.settle(vm.instance) ?? slice.stray;
  const isFinal = user.messages.some((message) => around.rules.finalOps.includes(message.op));
  const snapshot = isFinal ? null : vm.snapshot(job.turn, wallMs, job.limits.maxSnapshotBytes);
  const { messages, fuel } = user;
  return { messages, snapshot, unhandled, restored: isRestored, fuel, cpuMs, memoryBytes: vm.memoryBytes };
}

interface Slice {
  vm: GuestVm;
  user: SliceUser;
  ledger: RejectionLedger;
  /** The first thing thrown where no promise could take it, for example by a microtask. */
  stray: ThrownText | null;
}

function deliver(slice: Slice, { op, id, a, b }: Delivery): void {
  const { user } = slice;
  const { instance } = slice.vm;
  const thrown = instance.dispatch(user, op, id, a, b);
  if (user.isOver()) throw user.failure;
  if (thrown) {
    const { name, message } = describeThrown(instance, thrown.thrown);
    throw fault("guest_crashed", `The controller failed with ${name}: ${message}.`);
  }
  for (;;) {
    const left = instance.drain(user, JOBS_PER_DRAIN);
    if (user.isOver()) throw user.failure;
    if (left === false) return;
    if (left !== true) noteStray(slice, left);
  }
}

function noteStray(slice: Slice, thrown: Thrown): void {
  const { instance } = slice.vm;
  slice.stray ??= describeThrown(instance, thrown.thrown);
  instance.release(thrown);
}
