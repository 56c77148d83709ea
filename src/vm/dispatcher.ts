// Which worker thread does what next (L10). Tasks are taken in the order in which they came; those that
// need a hot VM wait for its worker. A guest that computes for long holds a worker: then more workers are
// started for a while, so that the others wait a tenth of a second for it and not its whole time.

import { systemClock, type Timer } from "../contract/clock.ts";
import type { Fault } from "../contract/fault.ts";
import { HELD_MS, WorkerHandle, type WorkerTask } from "./worker-handle.ts";
import type { WorkerStart } from "./worker-protocol.ts";

/** Workers beyond the configured ones, while those are held. */
const EXTRA_WORKERS_MAX = 4;

/** A task that no worker has yet. */
export interface Waiting {
  runId: string | null;
  /** The only worker that can do it, because the VM is hot there. */
  pinned: WorkerHandle | null;
  task: WorkerTask;
}

export interface DispatcherOwner {
  /** A worker begins this run's task. */
  given(runId: string, worker: WorkerHandle): void;
  /** The worker that this run's task waited for is gone or held; the run has to be routed again. */
  orphaned(runId: string): void;
}

export class Dispatcher {
  readonly workers = new Set<WorkerHandle>();
  /** Workers that were ended before their time. */
  terminated = 0;
  readonly #owner: DispatcherOwner;
  readonly #workerCount: number;
  #start: WorkerStart | null = null;
  #waiting: Waiting[] = [];
  readonly #retiring = new Set<Promise<unknown>>();
  #lookout: Timer | null = null;
  #isClosed = false;

  constructor(workerCount: number, owner: DispatcherOwner) {
    this.#workerCount = Math.max(workerCount, 1);
    this.#owner = owner;
  }

  /** A thread that comes up while the caller prepares what it starts from. */
  addWorker(): WorkerHandle {
    const worker = new WorkerHandle(this);
    this.workers.add(worker);
    if (this.#start) worker.begin(this.#start);
    return worker;
  }

  /** Tells the workers what to start from. From now on more are started when they are needed. */
  begin(start: WorkerStart): void {
    this.#start = start;
    for (const worker of this.workers) worker.begin(start);
  }

  enqueue(entry: Waiting): void {
    this.#waiting.push(entry);
    this.#dispatch();
  }

  /** Takes the waiting task of a run back. */
  cancel(runId: string): void {
    this.#waiting = this.#waiting.filter((entry) => entry.runId !== runId);
  }

  /** Ends every worker; what runs and what waits fails with `reason`. */
  async close(reason: () => Fault): Promise<void> {
    this.#isClosed = true;
    this.#lookout?.cancel();
    for (const { task } of this.#waiting.splice(0)) task.failed(reason());
    await Promise.all([...this.#retiring, ...[...this.workers].map((worker) => worker.terminate(reason()))]);
  }

  /** From a worker: it is free. */
  idle(worker: WorkerHandle): void {
    this.#dispatch();
    const passable = [...this.workers].filter((each) => !each.isHeld());
    if (worker.isBusy || passable.length <= this.#workerCount || this.#isClosed) return;
    this.workers.delete(worker);
    const ending = worker.retire().finally(() => this.#retiring.delete(ending));
    this.#retiring.add(ending);
  }

  /** From a worker: it is gone, with the VMs in it. */
  gone(worker: WorkerHandle): void {
    if (!this.workers.delete(worker) || this.#isClosed) return;
    this.terminated++;
    this.#unpin((entry) => entry.pinned === worker);
    this.#dispatch();
  }

  /** Gives every free worker what has waited longest for it; starts a worker when all are busy. */
  #dispatch(): void {
    if (this.#isClosed || !this.#start) return;
    for (const worker of this.workers) this.#feed(worker);
    while (this.workers.size < this.#workerCount && this.#waiting.some(({ pinned }) => pinned === null)) {
      this.#feed(this.addWorker());
    }
    // Once all are held, only the end of a task changes anything, and that comes here (L8).
    const canChange = this.#waiting.length > 0 && [...this.workers].some((worker) => !worker.isHeld());
    if (canChange) this.#lookout ??= systemClock.setTimer(HELD_MS, () => this.#passBy());
  }

  #feed(worker: WorkerHandle): void {
    while (!worker.isBusy && !worker.isGone) {
      const index = this.#waiting.findIndex(({ pinned }) => pinned === null || pinned === worker);
      const [entry] = index < 0 ? [] : this.#waiting.splice(index, 1);
      if (!entry) return;
      if (entry.runId !== null) this.#owner.given(entry.runId, worker);
      worker.run(entry.task);
    }
  }

  /** Something has waited for a while: what waits for a held worker is unpinned, and may get a worker more. */
  #passBy(): void {
    this.#lookout = null;
    const held = [...this.workers].filter((worker) => worker.isHeld());
    this.#unpin(({ pinned }) => pinned !== null && held.includes(pinned));
    const isShort = held.length === this.workers.size && this.#waiting.some(({ pinned }) => pinned === null);
    if (isShort && this.workers.size < this.#workerCount + EXTRA_WORKERS_MAX) this.addWorker();
    this.#dispatch();
  }

  #unpin(isOrphan: (entry: Waiting) => boolean): void {
    const orphans = this.#waiting.filter(isOrphan);
    this.#waiting = this.#waiting.filter((entry) => !orphans.includes(entry));
    for (const { runId } of orphans) if (runId !== null) this.#owner.orphaned(runId);
  }
}
