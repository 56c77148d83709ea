// The pool of worker threads (L5, L10). A run is pinned to the worker where its VM is hot; any other goes
// to the first that is free and is restored from its chain. A worker that is terminated costs the slice
// in it and nothing else: its hot VMs are restored elsewhere, what waited for it is routed again.

import { type Fault, fault, isFault } from "../contract/fault.ts";
import { utf8ByteCount } from "../contract/json.ts";
import { SCRIPT_BYTES_MAX } from "../contract/limits.ts";
import type { ImageBlob, SnapshotBlob } from "../contract/snapshot.ts";
import { bootImage, packImage } from "./base-image.ts";
import { Dispatcher, type DispatcherOwner } from "./dispatcher.ts";
import { loadEngine } from "./engine.ts";
import type { SliceReport, SliceRequest, SourceText, VmPool, VmPoolOptions } from "./port.ts";
import { selfCheck } from "./self-check.ts";
import { turnTimeout } from "./slice-user.ts";
import type { WorkerHandle, WorkerTask } from "./worker-handle.ts";
import type { ColdState, ToWorker } from "./worker-protocol.ts";

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

class Pool implements VmPool, DispatcherOwner {
  readonly #options: VmPoolOptions;
  readonly #dispatcher: Dispatcher;
  readonly #active = new Map<string, ActiveSlice>();
  #baseImage: ImageBlob | undefined;
  #isClosed = false;
  #restores = 0;

  constructor(options: VmPoolOptions) {
    this.#options = options;
    this.#dispatcher = new Dispatcher(options.workerCount, this);
  }

  /** The first thread comes up while this one compiles the engine and boots the image. */
  async open(): Promise<void> {
    const first = this.#dispatcher.addWorker();
    const { controller, macKey, reseedOp, finalOps } = this.#options;
    const engine = loadEngine();
    const image = await bootImage(engine, controller);
    this.#dispatcher.begin({ module: engine.module, image, macKey, rules: { reseedOp, finalOps } });
    this.#baseImage = packImage(engine, image);
    await selfCheck(engine, image);
    await first.ready;
    if (first.endedBy) throw fault("internal", `No VM worker thread comes up. ${first.endedBy.message}`);
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
      this.#dispatcher.enqueue({ runId: null, pinned: null, task });
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
    else for (const worker of this.#dispatcher.workers) worker.evict(runId);
  }

  interrupt(runId: string): void {
    const slice = this.#active.get(runId);
    if (!slice) return;
    const reason = fault("run_stopped", `Run ${runId} was stopped during its turn ${slice.request.turn}.`);
    if (slice.worker) void slice.worker.terminate(reason);
    else this.#abandon(slice, reason);
  }

  stats(): { workers: number; hot: number; restores: number; terminated: number } {
    const { workers, terminated } = this.#dispatcher;
    const hot = [...workers].reduce((sum, worker) => sum + worker.hot.size, 0);
    return { workers: workers.size, hot, restores: this.#restores, terminated };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const slice of [...this.#active.values()]) if (!slice.worker) this.#abandon(slice, closedFault());
    await this.#dispatcher.close(closedFault);
  }

  given(runId: string, worker: WorkerHandle): void {
    const slice = this.#active.get(runId);
    if (slice) slice.worker = worker;
  }

  orphaned(runId: string): void {
    const slice = this.#active.get(runId);
    if (slice) this.#route(slice);
  }

  /** To the worker where the VM is hot at the right turn; otherwise its chain is fetched first. */
  #route(slice: ActiveSlice): void {
    const { runId, turn, forkOf } = slice.request;
    if (forkOf !== undefined) {
      void this.#routeCold(slice);
      return;
    }
    let pinned: WorkerHandle | null = null;
    for (const worker of this.#dispatcher.workers) {
      if (turn > 1 && worker.hot.get(runId)?.turn === turn - 1 && !worker.isHeld()) pinned = worker;
      else worker.evict(runId);
    }
    if (pinned || turn === 1) this.#dispatcher.enqueue({ runId, pinned, task: this.#sliceTask(slice, null) });
    else void this.#routeCold(slice);
  }

  async #routeCold(slice: ActiveSlice): Promise<void> {
    const { runId } = slice.request;
    try {
      const cold = await this.#coldState(await slice.request.chain());
      if (slice.isStopped) return;
      this.#dispatcher.enqueue({ runId, pinned: null, task: this.#sliceTask(slice, cold) });
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
    const { runId, turn, forkOf, deliveries, limits, nowMs } = slice.request;
    return {
      message: { kind: "slice", job: { runId, turn, forkOf, deliveries, limits, nowMs }, cold },
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
      if (report.snapshot && request.forkOf === undefined)
        worker.hot.set(request.runId, { turn: request.turn, memoryBytes: report.memoryBytes });
      if (slice.evictAfter) worker.evict(request.runId);
      worker.trim(this.#options.hotVmsMax, (runId) => this.#active.has(runId));
    }
    slice.resolve(report);
  }

  #abandon(slice: ActiveSlice, reason: unknown): void {
    const { runId } = slice.request;
    slice.isStopped = true;
    if (this.#active.get(runId) === slice) this.#active.delete(runId);
    this.#dispatcher.cancel(runId);
    slice.reject(isFault(reason) ? reason : asFault(reason));
  }
}

function closedFault(): Fault {
  return fault("storage_closed", "The VM pool is closed.");
}

function asFault(reason: unknown): Fault {
  const message = reason instanceof Error ? reason.message : String(reason);
  return fault("internal", message, { cause: reason });
}
