// What the turn loop knows of runs that had a turn a moment ago, so that the next one reads only its
// answers. A cache: the commit checks epoch and turn again, and whoever changes a run otherwise
// forgets it here. The script's text is not kept; only turn 1 needs it.

import type { GuestStart } from "../bridge/port.ts";
import type { RunRecord } from "../contract/records.ts";
import type { RunForTurn } from "../registry/port.ts";
import type { RunLimits } from "./context.ts";

const HOT_RUNS_MAX = 1_024;

export interface HotRun {
  run: Pick<RunRecord, "runId" | "turn" | "groupId" | "sessionKey" | "model">;
  epoch: number;
  agentId: string | undefined;
  limits: RunLimits;
}

export function hotRunOf(row: RunForTurn): HotRun {
  const { runId, turn, groupId, sessionKey, model } = row.run;
  const limits = JSON.parse(row.limits) as RunLimits;
  return { run: { runId, turn, groupId, sessionKey, model }, epoch: row.epoch, agentId: row.agentId, limits };
}

/** What turn 1 hands to the guest. */
export function startOf(row: RunForTurn): GuestStart {
  const { code, fileName, args } = row;
  return { code, fileName, args, dialect: (JSON.parse(row.limits) as RunLimits).dialect };
}

export class HotRuns {
  readonly #runs = new Map<string, HotRun>();

  get(runId: string): HotRun | undefined {
    return this.#runs.get(runId);
  }

  /** Remembers the run as it stands after its turn; the least recently used goes when there are too many. */
  keep(hot: HotRun): void {
    this.#runs.delete(hot.run.runId);
    this.#runs.set(hot.run.runId, hot);
    if (this.#runs.size <= HOT_RUNS_MAX) return;
    for (const oldest of this.#runs.keys()) {
      this.#runs.delete(oldest);
      return;
    }
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }
}
