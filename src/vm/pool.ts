// The pool of worker threads (L5, L10). A run is pinned to the worker where its VM is hot; any other goes
// to the first that is free and is restored from its chain. A worker that is terminated costs the slice
// in it and nothing else: its hot VMs are restored elsewhere, what waited for it is routed again.

import { type Fault, fault, isFault } from "../contract/fault.ts";
import { utf8ByteCount } from "../contract/json.ts";
import { SCRIPT_BYTES_MAX } from "../contract/limits.ts";
import type { ImageBlob, SnapshotBlob } from "../contract/snapshot.ts";
import { bootImage, packImage } from "./base-image.ts";
import { loadEngine } from "./engine.ts";
import type { SliceReport, SliceRequest, SourceText, VmPool, VmPoolOptions } from "./port.ts";
import { selfCheck } from "./self-check.ts";
import { turnTimeout } from "./slice-user.ts";
import { WorkerHandle, type WorkerOwner, type WorkerTask } from "./worker-handle.ts";
import type { ColdState, ToWorker, WorkerStart } from "./worker-protocol.ts";

/** Longest time that parsing one script may take, milliseconds. */
const COMPILE_TIMEOUT_MS = 10_000;

/**
 * Boots the base image and starts the first worker; more are started when they are needed.
 * End it with `close()`, after which nothing of it keeps the process alive (L7).
 * @throws Fault `internal` when the engine is not the expected build or the controller does not boot
 */
export async function openVmPool(options: VmPoolOptions): Promise<VmPool> {
  const pool = new Pool(options);
  try {
    await pool.open();
    return pool;
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** A task that no worker has yet. */
interface Waiting {
  runId: string | null;
  /** The only worker that can do it, because the VM is hot there. */
  pinned: WorkerHandle | null;
  task: WorkerTask;
}

/** A slice between `slice()` and its answer. */
interface ActiveSlice {
  request: SliceRequest;
  /** The worker that runs it, once one does. */
  worker: WorkerHandle | null;
  isStopped: boolean;
  evictAfter: boolean;
  resolve(report: SliceReport): void;
  reject(reason: unknown): void;
}

class Pool implements VmPool, WorkerOwner {
  readonly #options: VmPoolOptions;
  readonly #workers = new Set<WorkerHandle>();
  readonly #active = new Map<string, ActiveSlice>();
  #waiting: Waiting[] = [];
  #start: WorkerStart | undefined;
  #baseImage: ImageBlob | undefined;
  #isClosed = false;
  #restores = 0;
  #terminated = 0;

  constructor(options: VmPoolOptions) {
    this.#options = options;
  }

  /** The first thread comes up while this one compiles the engine and boots the image. */
  async open(): Promise<void> {
    const first = new WorkerHandle(this);
    this.#workers.add(first);
    const { controller, macKey, reseedOp, finalOps } = this.#options;
    const engine = loadEngine();
    const image = await bootImage(engine, controller);
    this.#start = { module: engine.module, image, macKey, rules: { reseedOp, finalOps } };
    first.begin(this.#start);
    this.#baseImage = packImage(engine, image);
    await selfCheck(engine, image);
    await first.ready;
    if (first.isGone) throw fault("internal", "The VM worker thread did not start.");
  }

  get baseImage(): ImageBlob {
    if (!this.#baseImage) throw fault("internal", "The VM pool is not open.");
    return this.#baseImage;
  }

  compile(source: SourceText): Promise<string> {
    const byteCount = utf8ByteCount(source.text);
    if (byteCount > SCRIPT_BYTES_MAX) {
      const message = `The script has ${byteCount} bytes, more than ${SCRIPT_BYTES_MAX}.`;
      return Promise.reject(fault("script_too_large", message));
    }
    if (this.#isClosed) return Promise.reject(closedFault());
    return new Promise((resolve, reject) => {
      const overrun = () => fault("script_syntax", `The script was not parsed within ${COMPILE_TIMEOUT_MS} ms.`);
      const message: ToWorker = { kind: "compile", source };
      const done: WorkerTask["done"] = (answer) => {
        if (answer.kind === "compiled") resolve(answer.code);
      };
      const task = { message, timeoutMs: COMPILE_TIMEOUT_MS, isCold: false, overrun, done, failed: reject };
      this.#enqueue({ runId: null, pinned: null, task });
    });
  }

  slice(request: SliceRequest): Promise<SliceReport> {
    const { runId } = request;
    if (this.#isClosed) return Promise.reject(closedFault());
    if (this.#active.has(runId)) {
      return Promise.reject(fault("internal", `Run ${runId} already has a slice in flight.`));
    }
    return new Promise((resolve, reject) => {
      const slice = { request, worker: null, isStopped: false, evictAfter: false, resolve, reject };
      this.#active.set(runId, slice);
      this.#route(slice);
    });
  }

  evict(runId: string): void {
    const slice = this.#active.get(runId);
    if (slice) slice.evictAfter = true;
    else for (const worker of this.#workers) worker.evict(runId);
  }

  interrupt(runId: string): void {
    const slice = this.#active.get(runId);
    if (!slice) return;
    const reason = fault("run_stopped", `Run ${runId} was stopped during its turn ${slice.request.turn}.`);
    if (slice.worker) void slice.worker.terminate(reason);
    else this.#abandon(slice, reason);
  }

  stats(): { workers: number; hot: number; restores: number; terminated: number } {
    const hot = [...this.#workers].reduce((sum, worker) => sum + worker.hot.size, 0);
    return { workers: this.#workers.size, hot, restores: this.#restores, terminated: this.#terminated };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { task } of waiting) task.failed(closedFault());
    for (const slice of [...this.#active.values()]) if (!slice.worker) this.#abandon(slice, closedFault());
    await Promise.all([...this.#workers].map((worker) => worker.terminate(closedFault())));
  }

  idle(): void {
    this.#dispatch();
  }

  gone(handle: WorkerHandle): void {
    this.#workers.delete(handle);
    if (this.#isClosed) return;
    this.#terminated++;
    const orphans = this.#waiting.filter((entry) => entry.pinned === handle);
    this.#waiting = this.#waiting.filter((entry) => entry.pinned !== handle);
    for (const { runId } of orphans) {
      const slice = runId === null ? undefined : this.#active.get(runId);
      if (slice) this.#route(slice);
    }
    this.#dispatch();
  }

  /** To the worker where the VM is hot at the right turn; otherwise its chain is fetched first. */
  #route(slice: ActiveSlice): void {
    const { runId, turn } = slice.request;
    let pinned: WorkerHandle | null = null;
    for (const worker of this.#workers) {
      if (turn > 1 && worker.hot.get(runId)?.turn === turn - 1) pinned = worker;
      else worker.evict(runId);
    }
    if (pinned || turn === 1) this.#enqueue({ runId, pinned, task: this.#sliceTask(slice, null) });
    else void this.#routeCold(slice);
  }

  async #routeCold(slice: ActiveSlice): Promise<void> {
    const { runId } = slice.request;
    try {
      const cold = await this.#coldState(await slice.request.chain());
      if (slice.isStopped) return;
      this.#enqueue({ runId, pinned: null, task: this.#sliceTask(slice, cold) });
    } catch (error) {
      this.#abandon(slice, error);
    }
  }

  async #coldState(chain: SnapshotBlob[]): Promise<ColdState> {
    const imageHash = chain.at(-1)?.imageHash;
    if (imageHash === undefined || imageHash === this.baseImage.imageHash) return { chain, image: null };
    const image = await this.#options.image(imageHash);
    if (image) return { chain, image };
    throw fault("snapshot_foreign", `The snapshot stands on base image ${imageHash}, which is not kept here.`);
  }

  #sliceTask(slice: ActiveSlice, cold: ColdState | null): WorkerTask {
    const { runId, turn, deliveries, limits, nowMs } = slice.request;
    return {
      message: { kind: "slice", job: { runId, turn, deliveries, limits, nowMs }, cold },
      timeoutMs: limits.timeoutMs,
      isCold: cold !== null,
      overrun: () => turnTimeout(limits.timeoutMs),
      done: (answer) => {
        if (answer.kind === "report") this.#finish(slice, answer.report);
      },
      failed: (reason) => {
        slice.worker?.hot.delete(runId);
        this.#abandon(slice, reason);
      },
    };
  }

  #finish(slice: ActiveSlice, report: SliceReport): void {
    const { request, worker } = slice;
    this.#active.delete(request.runId);
    if (report.restored) this.#restores++;
    if (worker) {
      worker.hot.delete(request.runId);
      if (report.snapshot) worker.hot.set(request.runId, { turn: request.turn, memoryBytes: report.memoryBytes });
      if (slice.evictAfter) worker.evict(request.runId);
      worker.trim(this.#options.hotVmsMax, (runId) => this.#active.has(runId));
    }
    slice.resolve(report);
  }

  #abandon(slice: ActiveSlice, reason: unknown): void {
    const { runId } = slice.request;
    slice.isStopped = true;
    if (this.#active.get(runId) === slice) this.#active.delete(runId);
    this.#waiting = this.#waiting.filter((entry) => entry.runId !== runId);
    slice.reject(isFault(reason) ? reason : asFault(reason));
  }

  #enqueue(entry: Waiting): void {
    this.#waiting.push(entry);
    this.#dispatch();
  }

  /** Gives every free worker what has waited longest for it; starts a worker when all are busy. */
  #dispatch(): void {
    if (this.#isClosed) return;
    for (const worker of this.#workers) {
      while (!worker.isBusy && !worker.isGone) {
        const index = this.#waiting.findIndex(({ pinned }) => pinned === null || pinned === worker);
        if (index < 0) break;
        const [entry] = this.#waiting.splice(index, 1);
        if (entry) this.#give(worker, entry);
      }
    }
    const isShort = this.#workers.size < Math.max(this.#options.workerCount, 1);
    if (!isShort || !this.#start || !this.#waiting.some(({ pinned }) => pinned === null)) return;
    const worker = new WorkerHandle(this);
    this.#workers.add(worker);
    worker.begin(this.#start);
    this.#dispatch();
  }

  #give(worker: WorkerHandle, entry: Waiting): void {
    const slice = entry.runId === null ? undefined : this.#active.get(entry.runId);
    if (slice) slice.worker = worker;
    worker.run(entry.task);
  }
}

function closedFault(): Fault {
  return fault("storage_closed", "The VM pool is closed.");
}

function asFault(reason: unknown): Fault {
  const message = reason instanceof Error ? reason.message : String(reason);
  return fault("internal", message, { cause: reason });
}
