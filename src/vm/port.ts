// What the floors above see of the sealed room. Only text and sealed bytes cross (law L5).
//
// A VM belongs to one run. It is booted from the base image (engine + controller) and then advanced
// in slices: deliver texts, pump until quiet, collect the outbox, snapshot. A hot VM is only a cache:
// every report carries a snapshot that is enough to go on elsewhere.

import type { Clock } from "../contract/clock.ts";
import type { ImageBlob, SnapshotBlob } from "../contract/snapshot.ts";

/** Host → guest: one call of the controller's `dispatch(op, id, a, b)`; pumped to quiet before the next (L4). */
export interface Delivery {
  op: number;
  id: number;
  a: string;
  b: string;
}

/** Guest → host: one call of the controller's `bridge(op, id, method, json)`, in order. */
export interface GuestMessage {
  op: number;
  id: number;
  method: string;
  json: string;
}

export interface SliceLimits {
  /** Guest time of one slice, milliseconds (C-007). The watchdog ends what the interrupt cannot reach. */
  timeoutMs: number;
  /** Upper bound of the WASM memory, bytes. */
  memoryLimitBytes: number;
  /** Most bytes of outbox text in one slice. */
  maxOutputBytes: number;
  /** Most messages in one slice. */
  maxMessages: number;
  /** Most stored (compressed) bytes of one snapshot. */
  maxSnapshotBytes: number;
  /** Interrupt polls after which the slice fails; for tests that must not depend on time. */
  maxFuel?: number | undefined;
}

export interface SliceRequest {
  runId: string;
  /** The number this turn gets when it is committed; 1 boots a fresh VM from the base image. */
  turn: number;
  /**
   * A fork: `chain` is that run's, after this very turn, and the report's snapshot is the first of `runId`, of the
   * same turn. The VM is not kept hot.
   */
  forkOf?: string | undefined;
  deliveries: Delivery[];
  /** The stored chain after turn `turn - 1`, asked for only when the VM is not hot. */
  chain: () => Promise<SnapshotBlob[]>;
  limits: SliceLimits;
  /** The guest's `Date.now()` at the start of the slice, milliseconds since the epoch. */
  nowMs: number;
}

export interface SliceReport {
  messages: GuestMessage[];
  /** Null when a message with one of `finalOps` was sent: the VM is dropped and nothing is to be resumed. */
  snapshot: SnapshotBlob | null;
  /** A promise that was rejected and has no handler at the end of the slice (G-015). */
  unhandled: { name: string; message: string; stack: string } | null;
  /** Whether the VM had to be restored from its chain. */
  restored: boolean;
  fuel: number;
  cpuMs: number;
  memoryBytes: number;
}

/** Where a script cannot be compiled. Thrown as fault `script_syntax` with its place (G-012). */
export interface SourceText {
  text: string;
  language: "js" | "ts";
  fileName: string;
  /** A workflow that another one calls: the code is a function of its own `args`. */
  isNested?: boolean | undefined;
}

export interface VmPoolOptions {
  /** JavaScript text that evaluates to `(bridge) => dispatch` (see src/bridge/controller). */
  controller: string;
  /** The op by which `dispatch(op, 0, seed, "")` re-seeds the guest's random state after a restore. */
  reseedOp: number;
  /** Outbox ops after which the run is over. */
  finalOps: number[];
  /** 32 bytes; seals and checks every snapshot. */
  macKey: Uint8Array;
  /** Worker threads; at least 1. */
  workerCount: number;
  /** Hot VMs kept per worker (least recently used goes first). */
  hotVmsMax: number;
  /** Reads an older base image that a snapshot stands on. */
  image: (imageHash: string) => Promise<ImageBlob | undefined>;
  clock: Clock;
}

export interface VmPool {
  /** The base image of this engine and controller; store it before the first snapshot is stored. */
  readonly baseImage: ImageBlob;
  /** Compiles without running. Throws `script_syntax` (line, column, caret) or `script_too_large`. Returns the JavaScript with positions kept, to be delivered to the controller. */
  compile(source: SourceText): Promise<string>;
  /**
   * Advances a VM by one slice. Throws a Fault (`turn_timeout`, `memory_limit`, `stack_overflow`, `guest_crashed`,
   * `output_too_large`, `too_many_calls`, `snapshot_*`); the VM is gone then and the run is at its last snapshot.
   */
  slice(request: SliceRequest): Promise<SliceReport>;
  /** Forgets the hot VM of a run, for example because its commit failed; unknown runs are ignored. */
  evict(runId: string): void;
  /** Ends the slice in flight of a run by terminating its worker; the slice rejects with `run_stopped`. */
  interrupt(runId: string): void;
  stats(): { workers: number; hot: number; restores: number; terminated: number };
  /** Ends every worker; slices in flight reject with `storage_closed`. */
  close(): Promise<void>;
}
