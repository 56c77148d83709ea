// Which run may have taken the process down. A run's first turn in a process is counted before it is
// tried, unless the run began here; a committed turn takes the count back. What was counted and
// not taken back is suspect. Suspects are tried one at a time, so that the next crash is the doing of one
// of them, and only when the process has been up for a while, so that others get on with their work even
// while it is taken down again and again. That time is the machine's: it is about the process, and not
// about any moment that a script could see.

import { systemClock } from "../contract/clock.ts";
import { isFault } from "../contract/fault.ts";
import { RESUME_CRASHES_MAX } from "../contract/limits.ts";
import type { Registry, RunForTurn } from "../registry/port.ts";
import { Pause } from "./pause.ts";

/** Runs that are remembered; a forgotten one is counted once more, which costs a write and no harm. */
const KNOWN_RUNS_MAX = 65_536;
/** How long the process is up before a suspect is tried; twice as long for each further crash. */
const SUSPECT_AFTER_MS = 1_000;

export type Standing = "known" | "new" | "suspect" | "guilty";

export class Resumes {
  readonly #registry: Registry;
  /** Runs that began in this process, or whose resume was counted in it. */
  readonly #known = new Set<string>();
  readonly #begun = new Set<string>();
  readonly #startedAt = systemClock.monotonic();
  readonly #pause = new Pause(systemClock);

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
  begin(runId: string): void {
    addBounded(this.#known, runId);
    addBounded(this.#begun, runId);
  }

  /** Whether the run began in this process; of very many, the oldest are forgotten. */
  began(runId: string): boolean {
    return this.#begun.has(runId);
  }

  /** Resolves when the suspect may be tried, or at once when closed. */
  async wait({ run }: RunForTurn): Promise<void> {
    const upMs = systemClock.monotonic() - this.#startedAt;
    await this.#pause.for(Math.max(SUSPECT_AFTER_MS * 2 ** (run.resumeCrashes - 1) - upMs, 0));
  }

  /** Tries the first turn, once its count is durable. A turn that an orderly end cuts short is not counted. */
  async try(runId: string, at: number, turn: () => Promise<void>): Promise<void> {
    await this.#registry.countResume(runId, at);
    addBounded(this.#known, runId);
    try {
      await turn();
    } catch (error) {
      if (isFault(error) && error.code === "storage_closed") await this.#registry.forgiveResume(runId);
      throw error;
    }
  }

  close(): void {
    this.#pause.close();
  }

  forget(runId: string): void {
    this.#known.delete(runId);
    this.#begun.delete(runId);
  }
}

function addBounded(runIds: Set<string>, runId: string): void {
  runIds.add(runId);
  if (runIds.size <= KNOWN_RUNS_MAX) return;
  for (const oldest of runIds) {
    runIds.delete(oldest);
    return;
  }
}
