// Which run may have taken the process down. A run's first turn in a process is counted before it is
// tried, unless the run began here; a committed turn takes the count back. What was counted and
// not taken back is suspect: the turn loop tries suspects one at a time, so that the next crash is the
// doing of one of them and the others are cleared.

import { RESUME_CRASHES_MAX } from "../contract/limits.ts";
import type { Registry, RunForTurn } from "../registry/port.ts";

/** Runs that are remembered; a forgotten one is counted once more, which costs a write and no harm. */
const KNOWN_RUNS_MAX = 65_536;

export type Standing = "known" | "new" | "suspect" | "guilty";

export class Resumes {
  readonly #registry: Registry;
  /** Runs that began in this process, or whose resume was counted in it. */
  readonly #known = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** `new`: its first turn here has to be counted; `guilty`: it took the process down too often. */
  standingOf({ run }: RunForTurn): Standing {
    if (this.#known.has(run.runId)) return "known";
    if (run.resumeCrashes >= RESUME_CRASHES_MAX) return "guilty";
    return run.resumeCrashes > 0 ? "suspect" : "new";
  }

  /** The run began in this process. */
  know(runId: string): void {
    this.#known.add(runId);
    if (this.#known.size <= KNOWN_RUNS_MAX) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }

  /** Durable when it resolves. */
  async count(runId: string, at: number): Promise<void> {
    await this.#registry.countResume(runId, at);
    this.know(runId);
  }

  forget(runId: string): void {
    this.#known.delete(runId);
  }
}
