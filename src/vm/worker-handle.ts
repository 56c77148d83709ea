// One worker thread as the pool sees it: what it is doing, which VMs are hot in it, and the watchdog that
// terminates it when it does not answer in time (L7, L10). It does one job at a time.

import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { systemClock, type Timer } from "../contract/clock.ts";
import { type Fault, fault, faultFromData } from "../contract/fault.ts";
import { MIB_BYTES } from "../contract/limits.ts";
import { EndingGate } from "./ending-gate.ts";
import type { FromWorker, ToWorker, WorkerData, WorkerStart } from "./worker-protocol.ts";

/** V8's own stack in a worker. Natives of the engine that recurse need it; smaller ones crash the thread. */
const WORKER_STACK_MB = 16;
/** V8's heap in a worker: the outbox and the answers of one slice, and the compiler of types. */
const WORKER_HEAP_MB = 256;
/** Time beyond the guest's deadline until the thread is terminated, milliseconds. */
const WATCHDOG_GRACE_MS = 500;
/** A worker that does one task for longer is passed by, milliseconds. */
export const HELD_MS = 100;
/** Memory of all hot VMs of one worker. */
const HOT_BYTES_MAX = 512 * MIB_BYTES;
/** Hang guard for what the host does around the guest: coming up, restore, snapshot, milliseconds. */
const HOST_PHASE_MS_MAX = 60_000;

/**
 * A thread that ends while V8 compiles for it in the background can take the process down (an assertion
 * of node::NodePlatform::ForIsolate, seen on Node 20.20). Threads that are born under this flag compile
 * in their own time; those that live already keep to what they had.
 */
const COMPILE_IN_THREAD = "--no-concurrent-recompilation";
const COMPILE_BESIDE = "--concurrent-recompilation";
let births = 0;

function birthBegins(): void {
  if (births++ === 0) setFlagsFromString(COMPILE_IN_THREAD);
}

function birthEnds(): void {
  if (--births === 0) setFlagsFromString(COMPILE_BESIDE);
}

/** Started from the sources, worker threads still run as compiled JavaScript. */
const workerUrl = import.meta.url.endsWith(".ts")
  ? new URL("../../dist/vm/worker.js", import.meta.url)
  : new URL("./worker.js", import.meta.url);

export interface WorkerTask {
  message: ToWorker;
  /** Guest time until the watchdog ends the thread, milliseconds. */
  timeoutMs: number;
  /** The guest's time begins only when the worker says so. */
  isCold: boolean;
  /** What the task is answered with when the watchdog ended it. */
  overrun: () => Fault;
  done(answer: FromWorker): void;
  failed(fault: Fault): void;
}

export interface HotRun {
  /** The last turn it has done. */
  turn: number;
  memoryBytes: number;
}

export interface WorkerOwner {
  /** The thread is free for its next task. */
  idle(handle: WorkerHandle): void;
  /** The thread is gone, its VMs with it. */
  gone(handle: WorkerHandle): void;
}

export class WorkerHandle {
  /** Hot runs, least recently used first. */
  readonly hot = new Map<string, HotRun>();
  readonly ready: Promise<void>;
  /** Why the thread is gone. */
  endedBy: Fault | null = null;
  readonly #owner: WorkerOwner;
  readonly #worker: Worker;
  readonly #gate = new EndingGate();
  #task: WorkerTask | null = null;
  #taskBeganMs = 0;
  #watchdog: Timer | null = null;
  #isReady = false;
  #isGone = false;

  constructor(owner: WorkerOwner) {
    this.#owner = owner;
    birthBegins();
    this.#worker = new Worker(workerUrl, {
      name: "quickswarm-vm",
      resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxOldGenerationSizeMb: WORKER_HEAP_MB },
      // Nothing of the process's environment or loader flags belongs into the sealed room.
      env: {},
      execArgv: [],
      workerData: { gate: this.#gate.shared } satisfies WorkerData,
    });
    let isBorn = false;
    const born = () => {
      if (!isBorn) birthEnds();
      isBorn = true;
    };
    this.#worker.once("online", born);
    this.#worker.once("exit", born);
    const late = systemClock.setTimer(HOST_PHASE_MS_MAX, () => {
      const told = `The worker thread did not come up within ${HOST_PHASE_MS_MAX} ms.`;
      void this.terminate(fault("internal", told));
    });
    this.ready = new Promise((resolve) => {
      this.#worker.on("message", (message: FromWorker) => {
        if (message.kind !== "ready") return this.#answered(message);
        late.cancel();
        this.#isReady = true;
        if (this.#task) this.#watchTask(this.#task);
        resolve();
      });
      this.#worker.on("exit", () => {
        late.cancel();
        this.#lost(fault("guest_crashed", "The worker thread ended by itself."));
        resolve();
      });
    });
    this.#worker.on("error", (error) => {
      this.#lost(fault("guest_crashed", `The worker thread ended by itself: ${error.message}.`));
    });
  }

  /** The thread comes up by itself; it takes tasks once it was told this. */
  begin(start: WorkerStart): void {
    this.#worker.postMessage({ kind: "start", start } satisfies ToWorker);
  }

  get isBusy(): boolean {
    return this.#task !== null;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether it has been at one task for so long that others should not wait for it. */
  isHeld(): boolean {
    return this.#task !== null && systemClock.monotonic() - this.#taskBeganMs >= HELD_MS;
  }

  run(task: WorkerTask): void {
    this.#task = task;
    this.#taskBeganMs = systemClock.monotonic();
    this.#watchTask(task);
    try {
      this.#worker.postMessage(task.message);
    } catch (error) {
      this.#release();
      task.failed(fault("internal", "The task could not be sent to a worker thread.", { cause: error }));
    }
  }

  /** Lets go of the least recently used VMs above the limits, but not of the last one used, nor where `isNeeded`. */
  trim(countMax: number, isNeeded: (runId: string) => boolean): void {
    let byteCount = 0;
    for (const { memoryBytes } of this.hot.values()) byteCount += memoryBytes;
    for (const [runId, { memoryBytes }] of this.hot) {
      const isTooMuch = this.hot.size > 1 && byteCount > HOT_BYTES_MAX;
      if (this.hot.size <= countMax && !isTooMuch) return;
      if (isNeeded(runId)) continue;
      this.evict(runId);
      byteCount -= memoryBytes;
    }
  }

  evict(runId: string): void {
    if (this.hot.delete(runId)) this.#worker.postMessage({ kind: "evict", runId } satisfies ToWorker);
  }

  /** Ends the thread. The task in it fails with `reason`. */
  terminate(reason: Fault): Promise<unknown> {
    this.#lost(reason);
    return this.#end();
  }

  /** Ends the thread, which has no task. */
  retire(): Promise<unknown> {
    this.#isGone = true;
    this.hot.clear();
    return this.#end();
  }

  async #end(): Promise<void> {
    await this.#gate.shut();
    await this.#worker.terminate();
  }

  #answered(message: FromWorker): void {
    const task = this.#task;
    if (!task) return;
    if (message.kind === "phase") {
      this.#watch(message.isGuest ? task.timeoutMs + WATCHDOG_GRACE_MS : HOST_PHASE_MS_MAX);
      return;
    }
    this.#release();
    if (message.kind === "fault") task.failed(faultFromData(message.fault));
    else task.done(message);
    this.#owner.idle(this);
  }

  #watchTask(task: WorkerTask): void {
    const isGuestNext = this.#isReady && !task.isCold;
    this.#watch(isGuestNext ? task.timeoutMs + WATCHDOG_GRACE_MS : HOST_PHASE_MS_MAX);
  }

  /** A guest's time is the machine's, whatever clock the rest of the process is handed. */
  #watch(delayMs: number): void {
    this.#watchdog?.cancel();
    this.#watchdog = systemClock.setTimer(delayMs, () => {
      // This thread may have been held up itself: an answer that came meanwhile is heard before the worker is ended.
      this.#watchdog = systemClock.setTimer(0, () => {
        const { overrun } = this.#task ?? {};
        if (overrun) void this.terminate(overrun());
      });
    });
  }

  #release(): void {
    this.#watchdog?.cancel();
    this.#watchdog = null;
    this.#task = null;
  }

  #lost(reason: Fault): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.endedBy = reason;
    const task = this.#task;
    this.#release();
    this.hot.clear();
    task?.failed(reason);
    this.#owner.gone(this);
  }
}
