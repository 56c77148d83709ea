// Which of the data directory's runs this process works on. A gateway works on all of them. A
// command that brings a gateway of its own works on what it was asked for and leaves the rest parked:
// otherwise each command would start the children of other runs and throw them away as it ends.

import { isChildId, runIdOfChild } from "../contract/ids.ts";

/** `all`; `own`: what is submitted here, resumed or waited for; `none`: nothing, for looking. */
export type WorkScope = "all" | "own" | "none";

export class Scope {
  /** Runs, and children that no script spawned; undefined: all there are. */
  readonly #own: Set<string> | undefined;
  readonly #takesMore: boolean;

  constructor(work: WorkScope) {
    this.#own = work === "all" ? undefined : new Set();
    this.#takesMore = work === "own";
  }

  get isLimited(): boolean {
    return this.#own !== undefined;
  }

  includes(rootId: string): boolean {
    return this.#own?.has(rootId) ?? true;
  }

  /** Returns whether it was outside until now. */
  add(rootId: string): boolean {
    if (!this.#takesMore || this.includes(rootId)) return false;
    this.#own?.add(rootId);
    return true;
  }
}

/** What a run or child goes on with: the run, or the child itself when no script spawned it. */
export function rootOf(id: string): string {
  return isChildId(id) ? (runIdOfChild(id) ?? id) : id;
}
