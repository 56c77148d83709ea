// Kept turns: what people read of them, and what a fork is made from.

import type { HistoryPoint, PointDetail } from "../contract/history.ts";
import type { SnapshotBlob } from "../contract/snapshot.ts";
import type { Viewer } from "./readers-port.ts";

export interface RegistryHistory {
  /** Kept turns of a run, oldest first; empty when none is kept, or when the run is unknown. */
  historyPoints(runId: string): Promise<HistoryPoint[]>;
  /** The run as it was after a kept turn. Throws `turn_not_kept`, naming the turns that are kept. */
  pointDetail(runId: string, turn: number, viewer: Viewer): Promise<Omit<PointDetail, "run">>;
  /** The stored chain after a kept turn; empty when it is not kept. */
  chainAt(runId: string, turn: number): Promise<SnapshotBlob[]>;
}
