// What this process goes on with of what it finds in the data directory: children back in line, runs that
// have something to consume. What lacks a model's key is put aside, which loses nothing.

import { isChildId, runIdOfChild } from "../contract/ids.ts";
import type { Recovery } from "../registry/port.ts";
import type { Viewer } from "../registry/readers-port.ts";
import { missingKey } from "./attempt.ts";
import { rootOf } from "./scope.ts";
import type { TurnLoop, TurnParts } from "./turns.ts";

const QUEUE_PAGE_ROWS = 1_000;

export class Adoption {
  readonly #parts: TurnParts & { turns: TurnLoop };

  constructor(parts: TurnParts & { turns: TurnLoop }) {
    this.#parts = parts;
  }

  /** Makes a run of the data directory, or a child that no script spawned, this process's own. Returns whether it was not. */
  async add(rootId: string): Promise<boolean> {
    if (!this.#parts.scope.add(rootId)) return false;
    await this.goOn(rootId);
    return true;
  }

  /** The same for what somebody waits for and may see. */
  async addWaited(ids: string[], viewer: Viewer): Promise<void> {
    const { registry } = this.#parts.context;
    const { scope } = this.#parts;
    if (!scope.isLimited) return;
    const children = await registry.childrenById(ids.filter(isChildId), viewer);
    for (const { runId } of children) await this.add(rootOf(runId));
    for (const id of ids) if (!isChildId(id) && (await registry.run(id, viewer))) await this.add(id);
  }

  /** Goes on with all that is below `rootId`, or with everything. */
  async goOn(rootId: string | undefined): Promise<Recovery> {
    const { registry, clock } = this.#parts.context;
    const recovery = await registry.recover(clock.now(), rootId);
    await this.enqueueBelow(rootId);
    this.#parts.turns.wake(recovery.readyRuns);
    this.#parts.alarm.arm(recovery.earliestDueAt);
    return recovery;
  }

  /** Queued children and calls of tools of the registry that are not known here yet. */
  async enqueueBelow(rootId: string | undefined): Promise<void> {
    const { registry, policy } = this.#parts.context;
    const putAside = new Set<string>();
    for (let ticket = 0; ; ) {
      const page = await registry.queuedChildren(ticket, QUEUE_PAGE_ROWS, rootId);
      for (const child of page) {
        const runId = runIdOfChild(child.record.runId);
        const missing = runId === undefined ? undefined : missingKey(this.#parts.context.runners, child.record.model);
        if (runId === undefined || !missing) {
          this.#parts.children.enqueue(child, policy.swarmFor(child.record.agentId).maxConcurrent);
        } else if (!putAside.has(runId)) {
          putAside.add(runId);
          await this.#parts.turns.putAside(runId, missing);
        }
      }
      const last = page.at(-1);
      if (!last || page.length < QUEUE_PAGE_ROWS) break;
      ticket = last.ticket;
    }
    await this.#parts.calls.recover(rootId);
  }
}
