// The Runtime that the surfaces call: reads come from the registry (L9), decisions from the swarm.

import type { GuestHost } from "../bridge/port.ts";
import type { FoundWorkflow } from "../config/workflows.ts";
import type { ForkRequest, SpawnRequest, SubmitRequest } from "../contract/api.ts";
import type { ApprovalRecord, ApprovalRequest, EventAnswer } from "../contract/approvals.ts";
import type { Clock } from "../contract/clock.ts";
import type { SwarmEvent } from "../contract/events.ts";
import type { PointDetail, RunHistory } from "../contract/history.ts";
import type { Json } from "../contract/json.ts";
import { CENSUS_WARNINGS_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX } from "../contract/limits.ts";
import type {
  ChildRecord,
  ChildStatus,
  GroupRecord,
  RunDetail,
  RunRecord,
  RunState,
  WaitAnswer,
} from "../contract/records.ts";
import type { Settings } from "../contract/settings.ts";
import { readWorkflow } from "../contract/workflow.ts";
import type { Recovery, Registry } from "../registry/port.ts";
import type { Page } from "../registry/readers-port.ts";
import { notFound, type Swarm, viewerOf } from "../swarm/swarm.ts";
import type { ToolHost } from "../tools/host.ts";
import type { Caller, PageRequest, Runtime, RuntimeHealth } from "./api.ts";
import { censusOf, withCensus, withCensuses } from "./census.ts";
import { withExcerpt } from "./excerpt.ts";
import type { ApprovalQuery } from "./people-api.ts";
import { copySnapshotKey } from "./snapshot-key.ts";
import type { StorageHealth } from "./storage-health.ts";
import { VERSION } from "./version.ts";
import { savedWorkflows, withSaved } from "./workflows.ts";

/** Notes that one run's detail carries; the rest is in its events. */
const DETAIL_NOTES_MAX = 1_000;
const DETAIL_CHILDREN_MAX = 20_000;

interface RuntimeParts {
  settings: Settings;
  registry: Registry;
  guest: GuestHost;
  swarm: Swarm;
  clock: Clock;
  recovery: Recovery;
  storage: StorageHealth;
  tools: ToolHost;
}

export class GatewayRuntime implements Runtime {
  readonly #parts: RuntimeParts;
  readonly #startedAt: number;
  #closing: Promise<void> | undefined;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
  }

  async submit(caller: Caller, request: SubmitRequest): Promise<{ run: RunRecord; created: boolean }> {
    return this.#parts.swarm.submit(caller, await withSaved(this.#parts.settings, request));
  }

  savedWorkflows(): Promise<FoundWorkflow[]> {
    return savedWorkflows(this.#parts.settings);
  }

  async spawn(
    caller: Caller,
    request: SpawnRequest,
  ): Promise<{ status: "accepted"; runId: string; sessionKey: string; groupId: string }> {
    return { status: "accepted", ...(await this.#parts.swarm.spawn(caller, request)) };
  }

  async wait(
    caller: Caller,
    ids: string[],
    timeoutSeconds: number | undefined,
    signal?: AbortSignal,
  ): Promise<WaitAnswer> {
    const answer = await this.#parts.swarm.wait(caller, ids, timeoutSeconds, signal);
    return withCensuses(this.#parts.registry, viewerOf(caller), answer);
  }

  async runEnded(caller: Caller, runId: string, signal?: AbortSignal): Promise<RunRecord> {
    const run = await this.#parts.swarm.runEnded(caller, runId, signal);
    return withCensus(this.#parts.registry, viewerOf(caller), run);
  }

  async run(caller: Caller, runId: string): Promise<RunRecord> {
    return withCensus(this.#parts.registry, viewerOf(caller), await this.#stored(caller, runId));
  }

  async #stored(caller: Caller, runId: string): Promise<RunRecord> {
    const run = await this.#parts.registry.run(runId, viewerOf(caller));
    if (!run) throw notFound(runId);
    return run;
  }

  async runDetail(caller: Caller, runId: string): Promise<RunDetail> {
    const { registry } = this.#parts;
    const stored = await this.#stored(caller, runId);
    const row = await registry.runForTurn(runId);
    const lines = row?.sourceText.split("\n") ?? [];
    const run = stored.error ? { ...stored, error: withExcerpt(stored.error, lines) } : stored;
    const workflow = row && readWorkflow(row.sourceText, row.fileName);
    const pending = (await registry.pendingCalls(runId)).map((call) => {
      const sourceLine = call.line === undefined ? undefined : lines[call.line - 1]?.trim();
      return sourceLine === undefined ? call : { ...call, sourceLine };
    });
    const children = await this.#allChildren(caller, { runId });
    return {
      run,
      pending,
      children,
      notes: await registry.notes(runId, 0, DETAIL_NOTES_MAX),
      census: censusOf(children, await registry.warningsOf(runId, CENSUS_WARNINGS_MAX)),
      ...(workflow && { workflow: workflow.meta }),
    };
  }

  async history(caller: Caller, runId: string): Promise<RunHistory> {
    const run = await this.#stored(caller, runId);
    return { run, points: await this.#parts.registry.historyPoints(runId) };
  }

  async pointDetail(caller: Caller, runId: string, turn?: number): Promise<PointDetail> {
    const { run, points } = await this.history(caller, runId);
    const at = turn ?? points.at(-1)?.turn ?? run.turn;
    return { run, ...(await this.#parts.registry.pointDetail(runId, at, viewerOf(caller))) };
  }

  fork(caller: Caller, runId: string, request: ForkRequest): Promise<{ run: RunRecord; created: boolean }> {
    return this.#parts.swarm.fork(caller, runId, request);
  }

  runs(caller: Caller, page: PageRequest, state?: RunState): Promise<{ rows: RunRecord[]; next: string | undefined }> {
    return this.#parts.registry.runs(viewerOf(caller), pageOf(page), state);
  }

  children(
    caller: Caller,
    filter: { runId?: string | undefined; groupId?: string | undefined; status?: ChildStatus | undefined },
    page: PageRequest,
  ): Promise<{ rows: ChildRecord[]; next: string | undefined }> {
    return this.#parts.registry.children(viewerOf(caller), filter, pageOf(page));
  }

  groups(caller: Caller, page: PageRequest): Promise<{ rows: GroupRecord[]; next: string | undefined }> {
    return this.#parts.registry.groups(viewerOf(caller), pageOf(page));
  }

  async group(caller: Caller, groupId: string): Promise<{ group: GroupRecord; children: ChildRecord[] }> {
    const group = await this.#parts.registry.group(groupId, viewerOf(caller));
    if (!group) throw notFound(groupId);
    return { group, children: await this.#allChildren(caller, { groupId }) };
  }

  stop(caller: Caller, id: string, reason?: string): Promise<{ stopped: string; cancelledChildren: number }> {
    return this.#parts.swarm.stop(caller, id, reason);
  }

  resume(caller: Caller, runId: string): Promise<RunRecord> {
    return this.#parts.swarm.resume(caller, runId);
  }

  approvals(
    caller: Caller,
    query: ApprovalQuery,
    page: PageRequest,
  ): Promise<{ rows: ApprovalRecord[]; next: string | undefined }> {
    return this.#parts.registry.approvals(viewerOf(caller), query, pageOf(page));
  }

  async approval(caller: Caller, approvalId: string): Promise<ApprovalRecord> {
    const approval = await this.#parts.registry.approval(approvalId, viewerOf(caller));
    if (!approval) throw notFound(approvalId);
    return approval;
  }

  decide(caller: Caller, approvalId: string, request: ApprovalRequest): Promise<ApprovalRecord> {
    return this.#parts.swarm.decide(caller, approvalId, request);
  }

  sendEvent(caller: Caller, runId: string, name: string, payload: Json): Promise<EventAnswer> {
    return this.#parts.swarm.sendEvent(caller, { runId, name, payload });
  }

  eventsAfter(caller: Caller, seq: number, runId: string | undefined, limit: number): Promise<SwarmEvent[]> {
    return this.#parts.registry.eventsAfter(seq, { viewer: viewerOf(caller), runId }, Math.min(limit, PAGE_ROWS_MAX));
  }

  lastEventSeq(): Promise<number> {
    return this.#parts.registry.lastEventSeq();
  }

  onEvents(listener: (lastSeq: number) => void): () => void {
    return this.#parts.registry.onEvents(listener);
  }

  async backup(targetPath: string): Promise<{ bytes: number }> {
    const bytes = await this.#parts.registry.backup(targetPath);
    copySnapshotKey(this.#parts.settings.dataDir, targetPath);
    return { bytes };
  }

  health(): RuntimeHealth {
    const { recovery, swarm, guest, storage } = this.#parts;
    const { running, queued, turns } = swarm.counts();
    return {
      version: VERSION,
      startedAt: this.#startedAt,
      activeRuns: turns,
      recovered: { runs: recovery.activeRuns, children: recovery.requeued },
      lanes: { running, queued },
      vm: guest.stats(),
      storage: storage.state(),
    };
  }

  /** Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { swarm, guest, registry, tools } = this.#parts;
    // The VMs first: a turn in flight ends with storage_closed instead of holding the shutdown up.
    await guest.close();
    await swarm.close();
    await tools.close();
    await registry.close();
  }

  async #allChildren(caller: Caller, filter: { runId?: string; groupId?: string }): Promise<ChildRecord[]> {
    const all: ChildRecord[] = [];
    let after: string | undefined;
    do {
      const page = await this.children(caller, filter, { limit: PAGE_ROWS_MAX, after });
      all.push(...page.rows);
      after = page.next;
    } while (after !== undefined && all.length < DETAIL_CHILDREN_MAX);
    return all;
  }
}

function pageOf(page: PageRequest): Page {
  return { limit: Math.min(page.limit ?? PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX), after: page.after };
}
