// A Runtime that keeps everything in memory and runs nothing by itself: a test ends runs and children by
// hand. Ownership, idempotency, waits, pages and events are real, so HTTP can be tested against it.

import type { SpawnRequest, SubmitRequest } from "../../src/contract/api.ts";
import type { Clock } from "../../src/contract/clock.ts";
import type { NewSwarmEvent, SwarmEvent } from "../../src/contract/events.ts";
import { fault } from "../../src/contract/fault.ts";
import { defaultGroupId, newDetachedChildId, newRunId } from "../../src/contract/ids.ts";
import { canonicalJson, type Json } from "../../src/contract/json.ts";
import { WAIT_TIMEOUT_SECONDS_DEFAULT } from "../../src/contract/limits.ts";
import type {
  ChildRecord,
  ChildStatus,
  GroupRecord,
  RunDetail,
  RunRecord,
  RunState,
  WaitAnswer,
} from "../../src/contract/records.ts";
import type { Caller, PageRequest, Runtime, RuntimeHealth } from "../../src/runtime/api.ts";
import { MemoryPeople } from "./memory-people.ts";
import {
  compile,
  goodHealth,
  groupsOf,
  isFinal,
  isOver,
  type Listing,
  newChild,
  noCounts,
  owned,
  pageOf,
  sees,
  visible,
} from "./memory-rows.ts";

export class MemoryRuntime extends MemoryPeople implements Runtime {
  readonly #clock: Clock;
  readonly #runs = new Map<string, RunRecord>();
  readonly #children = new Map<string, ChildRecord>();
  readonly #events: SwarmEvent[] = [];
  readonly #keys = new Map<string, { body: string; id: string }>();
  readonly #listeners = new Set<(lastSeq: number) => void>();
  readonly #changed = new Set<() => void>();
  readonly #startedAt: number;
  /** Pages of events that were read. */
  pagesRead = 0;
  closed = false;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /** Streams and other subscribers that are listening now. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  get waitCount(): number {
    return this.#changed.size;
  }

  async submit(caller: Caller, request: SubmitRequest): Promise<{ run: RunRecord; created: boolean }> {
    const known = this.#known(caller, request.idempotencyKey, { script: request.script, args: request.args ?? null });
    if (known) return { run: await this.run(caller, known), created: false };
    compile(request);
    const runId = newRunId();
    const run: RunRecord = {
      runId,
      name: request.name ?? request.fileName,
      state: "waiting",
      sessionKey: caller.sessionKey,
      groupId: request.groupId ?? defaultGroupId(caller.sessionKey, runId),
      language: request.language,
      scriptHash: "0",
      model: request.model ?? "offline:echo",
      turn: 1,
      children: noCounts(),
      resumeCrashes: 0,
      createdAt: this.#clock.now(),
    };
    this.#runs.set(runId, run);
    this.#remember(caller, request.idempotencyKey, { script: request.script, args: request.args ?? null }, runId);
    this.emit(run, { type: "run.created", name: run.name });
    return { run, created: true };
  }

  async savedWorkflows() {
    return [];
  }

  async spawn(
    caller: Caller,
    request: SpawnRequest,
  ): Promise<{ status: "accepted"; runId: string; sessionKey: string; groupId: string }> {
    const known = this.#known(caller, request.idempotencyKey, request.task);
    const runId = known ?? newDetachedChildId();
    const groupId = request.groupId ?? defaultGroupId(caller.sessionKey, request.requesterRunId ?? "main");
    if (!known) {
      const child = newChild(caller, request, { runId, groupId, at: this.#clock.now() });
      this.#children.set(runId, child);
      this.#remember(caller, request.idempotencyKey, request.task, runId);
      this.emit(child, { type: "child.spawned", childId: runId, model: child.model });
    }
    return { status: "accepted", runId, sessionKey: caller.sessionKey, groupId };
  }

  /** Ends a run, as its script's last turn would. */
  endRun(runId: string, result: Json): void {
    const run = owned(this.#runs.get(runId));
    this.#runs.set(runId, { ...run, state: "done", result, endedAt: this.#clock.now() });
    this.emit(run, { type: "run.ended", state: "done" });
  }

  /** Ends a child, as its runner would. */
  endChild(childId: string, text: string): void {
    const child = owned(this.#children.get(childId));
    this.#children.set(childId, { ...child, status: "done", result: text, endedAt: this.#clock.now() });
    this.emit(child, { type: "child.ended", childId, status: "done", attempts: 1 });
  }

  note(runId: string, text: string): void {
    this.emit(owned(this.#runs.get(runId)), { type: "run.note", kind: "log", level: "info", text, turn: 1 });
  }

  async wait(
    caller: Caller,
    ids: string[],
    timeoutSeconds: number | undefined,
    signal?: AbortSignal,
  ): Promise<WaitAnswer> {
    const seconds = timeoutSeconds ?? WAIT_TIMEOUT_SECONDS_DEFAULT;
    const look = (): WaitAnswer => this.#look(caller, ids);
    await this.#until(() => isOver(look()), seconds, signal);
    return look();
  }

  async runEnded(caller: Caller, runId: string, signal?: AbortSignal): Promise<RunRecord> {
    await this.run(caller, runId);
    await this.#until(() => isFinal(this.#runs.get(runId)?.state), undefined, signal);
    return this.run(caller, runId);
  }

  async run(caller: Caller, runId: string): Promise<RunRecord> {
    return visible(caller, this.#runs.get(runId));
  }

  async runDetail(caller: Caller, runId: string): Promise<RunDetail> {
    const run = await this.run(caller, runId);
    const { rows } = await this.children(caller, { runId }, {});
    const census = { done: 0, failed: 0, killed: 0, timeout: 0, schema: 0, problems: [], warnings: [] };
    return { run, pending: [], children: rows, notes: [], census };
  }

  async runs(caller: Caller, page: PageRequest, state?: RunState): Promise<Listing<RunRecord>> {
    const rows = [...this.#runs.values()].filter((run) => state === undefined || run.state === state);
    return pageOf(caller, rows, page, (run) => run.runId);
  }

  async children(
    caller: Caller,
    filter: { runId?: string | undefined; groupId?: string | undefined; status?: ChildStatus | undefined },
    page: PageRequest,
  ): Promise<Listing<ChildRecord>> {
    const rows = [...this.#children.values()].filter(
      (child) =>
        (filter.runId === undefined || child.parentRunId === filter.runId) &&
        (filter.groupId === undefined || child.groupId === filter.groupId) &&
        (filter.status === undefined || child.status === filter.status),
    );
    return pageOf(caller, rows, page, (child) => child.runId);
  }

  async groups(caller: Caller, page: PageRequest): Promise<Listing<GroupRecord>> {
    return pageOf(caller, groupsOf(this.#children.values()), page, (group) => group.groupId);
  }

  async group(caller: Caller, groupId: string): Promise<{ group: GroupRecord; children: ChildRecord[] }> {
    const group = visible(
      caller,
      groupsOf(this.#children.values()).find((row) => row.groupId === groupId),
    );
    return { group, children: (await this.children(caller, { groupId }, {})).rows };
  }

  async stop(caller: Caller, id: string, _reason?: string): Promise<{ stopped: string; cancelledChildren: number }> {
    const run = this.#runs.get(id);
    if (run) {
      visible(caller, run);
      if (isFinal(run.state)) throw fault("wrong_state", `Run ${id} is ${run.state} already.`);
      this.#runs.set(id, { ...run, state: "killed", endedAt: this.#clock.now() });
      this.emit(run, { type: "run.ended", state: "killed" });
      return { stopped: id, cancelledChildren: 0 };
    }
    const child = visible(caller, this.#children.get(id));
    if (child.status !== "running") throw fault("wrong_state", `Child ${id} is ${child.status} already.`);
    this.#children.set(id, { ...child, status: "killed" });
    this.emit(child, { type: "child.ended", childId: id, status: "killed", attempts: 1 });
    return { stopped: id, cancelledChildren: 1 };
  }

  async resume(caller: Caller, runId: string): Promise<RunRecord> {
    return this.run(caller, runId);
  }

  async eventsAfter(caller: Caller, seq: number, runId: string | undefined, limit: number): Promise<SwarmEvent[]> {
    this.pagesRead += 1;
    return this.#events
      .filter((event) => event.seq > seq && (runId === undefined || event.runId === runId) && sees(caller, event))
      .slice(0, limit);
  }

  async lastEventSeq(): Promise<number> {
    return this.#events.length;
  }

  onEvents(listener: (lastSeq: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async backup(targetPath: string): Promise<{ bytes: number }> {
    return { bytes: targetPath.length };
  }

  health(): RuntimeHealth {
    return goodHealth(this.#startedAt, this.#runs.size);
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  /** Appends an event of the owner's and tells everybody who listens. */
  emit(owner: RunRecord | ChildRecord, event: Partial<NewSwarmEvent> & { type: SwarmEvent["type"] }): void {
    const runId = "parentRunId" in owner ? owner.parentRunId : owner.runId;
    const base = { at: this.#clock.now(), sessionKey: owner.sessionKey, groupId: owner.groupId, runId };
    this.#events.push({ ...base, ...event, seq: this.#events.length + 1 } as SwarmEvent);
    for (const changed of [...this.#changed]) changed();
    for (const listener of [...this.#listeners]) listener(this.#events.length);
  }

  #look(caller: Caller, ids: string[]): WaitAnswer {
    const answer: WaitAnswer = { completed: [], pending: [], pendingDetail: [], errors: [] };
    for (const runId of ids) {
      const child = this.#children.get(runId);
      if (!child || !sees(caller, child)) answer.errors.push({ runId, error: "not_found" });
      else if (child.status !== "running") answer.completed.push(child);
      else {
        answer.pending.push(runId);
        answer.pendingDetail.push({ runId, status: child.status, attempts: child.attempts });
      }
    }
    return answer;
  }

  /** Resolves when `done` holds, the time is over, or the signal aborts. */
  async #until(done: () => boolean, seconds: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (done() || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = seconds === undefined ? undefined : this.#clock.setTimer(seconds * 1_000, () => finish());
      const look = (): void => {
        if (done()) finish();
      };
      const finish = (): void => {
        timer?.cancel();
        this.#changed.delete(look);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      this.#changed.add(look);
      signal?.addEventListener("abort", finish, { once: true });
    });
  }

  #known(caller: Caller, key: string | undefined, body: Json): string | undefined {
    const known = key === undefined ? undefined : this.#keys.get(`${caller.sessionKey} ${key}`);
    if (known && known.body !== canonicalJson(body)) {
      throw fault("idempotency_conflict", "The key was used for another request.");
    }
    return known?.id;
  }

  #remember(caller: Caller, key: string | undefined, body: Json, id: string): void {
    if (key !== undefined) this.#keys.set(`${caller.sessionKey} ${key}`, { body: canonicalJson(body), id });
  }
}
