// The inside of a worker thread: the hot VMs and the one thing it does at a time. When a slice fails its
// VM is dropped here, and the pool counts it as gone (L1).

import { systemClock } from "../contract/clock.ts";
import { fault, toFaultData } from "../contract/fault.ts";
import { MIB_BYTES } from "../contract/limits.ts";
import { type BaseImage, unpackImage } from "./base-image.ts";
import { compileScript } from "./compile.ts";
import { type Engine, engineFromModule } from "./engine.ts";
import { GuestVm, type VmMaker } from "./guest-vm.ts";
import type { SliceReport } from "./port.ts";
import { macKeyOf } from "./record.ts";
import { InstanceShelf } from "./shelf.ts";
import { runSlice, type SliceJob } from "./slice.ts";
import type { ColdState, FromWorker, ToWorker, WorkerStart } from "./worker-protocol.ts";

/** VMs with more memory than this say when the guest's time ends: their snapshots take a while. */
const LARGE_VM_BYTES = 8 * MIB_BYTES;

const WARM_UP: SliceJob = {
  runId: "warm-up",
  turn: 1,
  deliveries: [],
  limits: {
    timeoutMs: 10_000,
    memoryLimitBytes: 64 * MIB_BYTES,
    maxOutputBytes: MIB_BYTES,
    maxMessages: 1000,
    maxSnapshotBytes: MIB_BYTES,
  },
  nowMs: 0,
};

type Post = (message: FromWorker, transfer: ArrayBuffer[]) => void;

export class WorkerRoom {
  readonly #post: Post;
  readonly #engine: Engine;
  readonly #maker: VmMaker;
  readonly #start: WorkerStart;
  readonly #base: BaseImage;
  readonly #vms = new Map<string, GuestVm>();
  /** Older base images that runs here stand on. */
  readonly #images = new Map<string, BaseImage>();

  constructor(start: WorkerStart, post: Post) {
    this.#start = start;
    this.#post = post;
    this.#engine = engineFromModule(start.module);
    const shelf = new InstanceShelf(this.#engine);
    this.#maker = { engine: this.#engine, macKey: macKeyOf(start.macKey), shelf };
    const { live } = start.image;
    this.#base = { ...start.image, live: Buffer.from(live.buffer, live.byteOffset, live.byteLength) };
  }

  /**
   * Goes once through what a first slice does, so that no run pays for code that was never run before.
   * What fails here fails in the first slice as well, where somebody is told.
   */
  async warmUp(): Promise<void> {
    try {
      const vm = await GuestVm.fresh(this.#maker, this.#base, WARM_UP.runId, WARM_UP.limits.memoryLimitBytes);
      this.#run(vm, WARM_UP, false);
      vm.leave();
    } catch {}
  }

  async handle(message: ToWorker): Promise<void> {
    try {
      if (message.kind === "slice") await this.#slice(message.job, message.cold);
      else if (message.kind === "compile") {
        const code = await compileScript(this.#maker.shelf, this.#base, message.source);
        this.#post({ kind: "compiled", code }, []);
      } else if (message.kind === "evict") this.#leave(message.runId);
    } catch (error) {
      if (message.kind === "slice") this.#vms.delete(message.job.runId);
      this.#post({ kind: "fault", fault: toFaultData(error) }, []);
    }
  }

  async #slice(job: SliceJob, cold: ColdState | null): Promise<void> {
    if (job.forkOf !== undefined) return this.#fork(job, cold);
    let vm = this.#vms.get(job.runId);
    if (job.turn === 1) vm = await GuestVm.fresh(this.#maker, this.#base, job.runId, job.limits.memoryLimitBytes);
    else if (cold) vm = await this.#restore(job, cold);
    if (!vm || vm.turn !== job.turn - 1)
      throw fault("internal", `Run ${job.runId} is not hot at turn ${job.turn - 1}.`);
    this.#vms.set(job.runId, vm);
    const report = this.#run(vm, job, cold !== null);
    if (!report.snapshot) this.#leave(job.runId);
    this.#report(report);
  }

  /** the VM of one run becomes the first state of another, and is not kept. */
  async #fork(job: SliceJob, cold: ColdState | null): Promise<void> {
    if (!cold) throw fault("internal", `Run ${job.runId} was forked from nothing.`);
    const vm = await this.#restore(job, cold);
    const report = this.#run(vm, job, true);
    vm.leave();
    this.#report(report);
  }

  #report(report: SliceReport): void {
    const sealed = report.snapshot?.bytes.buffer;
    this.#post({ kind: "report", report }, sealed instanceof ArrayBuffer ? [sealed] : []);
  }

  #run(vm: GuestVm, job: SliceJob, isRestored: boolean): SliceReport {
    return runSlice(vm, job, isRestored, {
      rules: this.#start.rules,
      clock: systemClock,
      guestDone: () => {
        if (vm.memoryBytes > LARGE_VM_BYTES) this.#post({ kind: "phase", isGuest: false }, []);
      },
    });
  }

  async #restore(job: SliceJob, cold: ColdState): Promise<GuestVm> {
    const image = cold.image ? this.#olderImage(cold.image) : this.#base;
    const forkOf = job.forkOf;
    const run =
      forkOf === undefined
        ? { runId: job.runId, turn: job.turn - 1 }
        : { runId: forkOf, turn: job.turn, asRunId: job.runId };
    const vm = await GuestVm.restore(this.#maker, image, run, cold.chain, job.limits.memoryLimitBytes);
    this.#post({ kind: "phase", isGuest: true }, []);
    return vm;
  }

  #leave(runId: string): void {
    this.#vms.get(runId)?.leave();
    this.#vms.delete(runId);
  }

  #olderImage(blob: NonNullable<ColdState["image"]>): BaseImage {
    const known = this.#images.get(blob.imageHash);
    if (known) return known;
    const image = unpackImage(this.#engine, blob);
    this.#images.set(blob.imageHash, image);
    return image;
  }
}
