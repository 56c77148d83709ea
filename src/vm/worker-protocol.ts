// What the pool and a worker thread say to each other. Plain data; the compiled module goes by reference.

import type { FaultData } from "../contract/fault.ts";
import type { ImageBlob, SnapshotBlob } from "../contract/snapshot.ts";
import type { BaseImage } from "./base-image.ts";
import type { SliceReport, SourceText } from "./port.ts";
import type { SliceJob, SliceRules } from "./slice.ts";
import type { WasmModule } from "./wasm-types.ts";

/** What a thread is born with. */
export interface WorkerData {
  /** Shared by its ending gate. */
  gate: SharedArrayBuffer;
}

/** The first message a worker gets. */
export interface WorkerStart {
  module: WasmModule;
  image: BaseImage;
  macKey: Uint8Array;
  rules: SliceRules;
}

/** Where a VM comes from that is not hot: its chain, and its base image when that is not the pool's own. */
export interface ColdState {
  chain: SnapshotBlob[];
  image: ImageBlob | null;
}

export type ToWorker =
  | { kind: "start"; start: WorkerStart }
  /** `cold` is null when the VM is hot or the turn is the first. */
  | { kind: "slice"; job: SliceJob; cold: ColdState | null }
  | { kind: "compile"; source: SourceText }
  | { kind: "evict"; runId: string };

/** A worker does one thing at a time and answers each with one of the last three. */
export type FromWorker =
  | { kind: "ready" }
  /** The guest's own time begins, or ended: the watchdog counts only that. */
  | { kind: "phase"; isGuest: boolean }
  | { kind: "report"; report: SliceReport }
  | { kind: "compiled"; code: string }
  | { kind: "fault"; fault: FaultData };
