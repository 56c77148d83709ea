// agents_wait for callers outside a script (S-011 to S-015): first completion, by id, woken by the
// commit that concerns it. A wait holds a listener and a timer, nothing else (L11).

import type { Clock, Timer } from "../contract/clock.ts";
import { isChildId } from "../contract/ids.ts";
import type { ChildRecord, RunRecord, WaitAnswer } from "../contract/records.ts";
import type { Registry } from "../registry/port.ts";
import type { Viewer } from "../registry/readers-port.ts";
import type { Notifier } from "./notifier.ts";

export interface WaitParts {
  registry: Registry;
  notifier: Notifier;
  clock: Clock;
}

/**
 * Resolves as soon as one of `ids` is final, or with `completed: []` after `timeoutMs` milliseconds, on abort,
 * when the gateway closes, or at once when no id is pending. Unknown and foreign ids are `not_found` entries, never an exception.
 */
export async function waitForFirst(
  parts: WaitParts,
  ids: string[],
  viewer: Viewer,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<WaitAnswer> {
  const unique = [...new Set(ids)];
  const woken = new Wakeup(parts, unique, timeoutMs, signal);
  try {
    for (;;) {
      const answer = await readAnswer(parts.registry, unique, viewer);
      if (answer.completed.length > 0 || answer.pending.length === 0 || woken.over) return answer;
      await woken.next();
      if (parts.notifier.closed) return answer;
    }
  } finally {
    woken.end();
  }
}

async function readAnswer(registry: Registry, ids: string[], viewer: Viewer): Promise<WaitAnswer> {
  const found = new Map<string, ChildRecord>();
  for (const child of await registry.childrenById(ids.filter(isChildId), viewer)) found.set(child.runId, child);
  for (const id of ids) {
    if (isChildId(id)) continue;
    const run = await registry.run(id, viewer);
    if (run && run.archivedAt === undefined) found.set(id, runAsRecord(run));
  }
  const answer: WaitAnswer = { completed: [], pending: [], pendingDetail: [], errors: [] };
  for (const id of ids) {
    const record = found.get(id);
    if (!record) answer.errors.push({ runId: id, error: "not_found" });
    else if (record.status === "queued" || record.status === "running") {
      answer.pending.push(id);
      answer.pendingDetail.push({
        runId: id,
        status: record.status,
        label: record.label,
        attempts: record.attempts,
        startedAt: record.startedAt,
      });
    } else answer.completed.push(record);
  }
  answer.completed.sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  return answer;
}

/** A run in the shape of a child record, so that one wait takes both kinds of id. */
export function runAsRecord(run: RunRecord): ChildRecord {
  const live = run.state === "running" || run.state === "waiting";
  const status = live
    ? "running"
    : run.state === "quarantined"
      ? "failed"
      : (run.state as "done" | "failed" | "killed");
  const record: ChildRecord = {
    runId: run.runId,
    status,
    result: run.result === undefined ? "" : JSON.stringify(run.result),
    sessionKey: run.sessionKey,
    label: run.name,
    model: run.model,
    prompt: "",
    attempts: 1,
    groupId: run.groupId,
    parentRunId: null,
    callId: 0,
    createdAt: run.createdAt,
    startedAt: run.createdAt,
  };
  if (run.result !== undefined) record.structured = run.result;
  if (run.error) {
    record.error = run.error.message;
    record.errorCode = run.error.code;
  }
  if (run.endedAt !== undefined) record.endedAt = run.endedAt;
  return record;
}

/** Listens before the first read, so that no completion falls between reading and waiting. */
class Wakeup {
  over = false;
  #pending = false;
  #resume: (() => void) | undefined;
  readonly #ends: (() => void)[] = [];
  readonly #timer: Timer;

  constructor(parts: WaitParts, ids: string[], timeoutMs: number, signal: AbortSignal | undefined) {
    for (const id of ids) this.#ends.push(parts.notifier.on(id, () => this.#wake()));
    this.#timer = parts.clock.setTimer(timeoutMs, () => this.#finish());
    const onAbort = (): void => this.#finish();
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#ends.push(() => signal?.removeEventListener("abort", onAbort));
    if (signal?.aborted) this.over = true;
  }

  next(): Promise<void> {
    if (this.#pending || this.over) {
      this.#pending = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  end(): void {
    this.#timer.cancel();
    for (const end of this.#ends) end();
  }

  #finish(): void {
    this.over = true;
    this.#wake();
  }

  #wake(): void {
    this.#pending = true;
    const resume = this.#resume;
    this.#resume = undefined;
    if (resume) {
      this.#pending = false;
      resume();
    }
  }
}
