// The swarm: decides when each turn and each child runs, and settles each exactly once. This file only
// wires its parts and offers them; the decisions are in turns, children, lanes, timers and waits.

import type { ForkRequest, SpawnRequest, SubmitRequest } from "../contract/api.ts";
import type { ApprovalRecord, ApprovalRequest, EventAnswer } from "../contract/approvals.ts";
import type { Timer } from "../contract/clock.ts";
import { fault, isFault, toFaultData } from "../contract/fault.ts";
import { isChildId } from "../contract/ids.ts";
import { WAIT_TIMEOUT_SECONDS_DEFAULT } from "../contract/limits.ts";
import type { RunRecord, WaitAnswer } from "../contract/records.ts";
import type { Recovery, Stopped } from "../registry/port.ts";
import type { Viewer } from "../registry/readers-port.ts";
import { Adoption } from "./adoption.ts";
import { ChildScheduler } from "./children.ts";
import type { SwarmContext } from "./context.ts";
import { createFork } from "./fork.ts";
import { decide, type PeopleParts, type RunEvent, send } from "./people.ts";
import { rootOf, Scope, type WorkScope } from "./scope.ts";
import { ScriptCalls } from "./script-calls.ts";
import { createDetachedChild, createRun, type Requester } from "./submit.ts";
import { Alarm } from "./timers.ts";
import { TurnLoop } from "./turns.ts";
import { waitForFirst } from "./waits.ts";

/** How often groups are archived and a wake that was missed is made good. */
const SWEEP_MS = 60_000;
const SWEEP_ROWS_MAX = 500;

export const NOTHING_RECOVERED: Recovery = {
  activeRuns: 0,
  readyRuns: [],
  requeued: 0,
  interrupted: 0,
  earliestDueAt: null,
};

export class Swarm {
  readonly #context: SwarmContext;
  readonly #children: ChildScheduler;
  readonly #turns: TurnLoop;
  readonly #calls: ScriptCalls;
  readonly #alarm: Alarm;
  readonly #scope: Scope;
  readonly #adoption: Adoption;
  #sweepTimer: Timer | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(context: SwarmContext, work: WorkScope = "all") {
    this.#context = context;
    this.#scope = new Scope(work);
    this.#children = new ChildScheduler(context, (runIds) => this.#turns.wake(runIds));
    this.#alarm = new Alarm(context, {
      wake: (runIds) => this.#turns.wake(runIds),
      cut: (childIds) => this.#children.abort(childIds),
      room: () => this.#turns.room(),
    });
    const calls = new ScriptCalls(context, (runIds) => this.#turns.wake(runIds));
    const parts = { context, children: this.#children, calls, alarm: this.#alarm, scope: this.#scope };
    this.#calls = calls;
    this.#turns = new TurnLoop(parts);
    this.#adoption = new Adoption({ ...parts, turns: this.#turns });
  }

  /**
   * everything goes on where it was, without being asked. Call once, before anything is submitted.
   * With a scope of its own it goes on with nothing until it is asked.
   */
  async recover(): Promise<Recovery> {
    this.#armSweep();
    return this.#scope.isLimited ? NOTHING_RECOVERED : this.#adoption.goOn(undefined);
  }

  /** @throws Fault as `createRun` in submit.ts */
  async submit(requester: Requester, request: SubmitRequest): Promise<{ run: RunRecord; created: boolean }> {
    const stored = await createRun(this.#context, requester, request);
    if (stored.created) {
      this.#scope.add(stored.run.runId);
      this.#turns.begin(stored.run.runId);
    } else await this.#adoption.add(stored.run.runId);
    this.#armBudgets(stored.run.createdAt, stored.run.budget?.seconds, request.agentId);
    return stored;
  }

  /** @throws Fault `not_found`, and as `createFork` in fork.ts */
  async fork(requester: Requester, runId: string, request: ForkRequest): Promise<{ run: RunRecord; created: boolean }> {
    const source = await this.#context.registry.run(runId, viewerOf(requester));
    if (!source) throw notFound(runId);
    const { run, created, queued, earliestDueAt } = await createFork(this.#context, requester, source, request);
    if (!created) return { run, created };
    // Its own from the start: to adopt it later would put children that run here back into the queue.
    this.#scope.add(run.runId);
    await this.#children.enqueueStored(async () => queued);
    this.#alarm.arm(earliestDueAt);
    this.#armBudgets(run.createdAt, run.budget?.seconds, undefined);
    await this.#calls.recover(run.runId);
    this.#turns.begin(run.runId);
    return { run, created };
  }

  /** S-001. @throws Fault as `createDetachedChild` in submit.ts */
  async spawn(
    requester: Requester,
    request: SpawnRequest,
  ): Promise<{ runId: string; sessionKey: string; groupId: string }> {
    const { child, created, groupMax } = await createDetachedChild(this.#context, requester, request);
    this.#scope.add(rootOf(child.record.runId));
    if (created) this.#children.enqueue(child, groupMax);
    this.#armBudgets(child.record.createdAt, undefined, child.record.agentId);
    return { runId: child.record.runId, sessionKey: child.record.sessionKey, groupId: child.record.groupId };
  }

  /** S-011: default 30 s, capped by configuration. A child that waits holds no slot meanwhile (L11). */
  async wait(
    requester: Requester,
    ids: string[],
    timeoutSeconds: number | undefined,
    signal?: AbortSignal,
  ): Promise<WaitAnswer> {
    const cap = this.#context.policy.swarmFor(undefined).waitTimeoutSecondsMax;
    const timeoutMs = Math.min(timeoutSeconds ?? WAIT_TIMEOUT_SECONDS_DEFAULT, cap) * 1000;
    await this.#adoption.addWaited(ids, viewerOf(requester));
    const work = (): Promise<WaitAnswer> => waitForFirst(this.#context, ids, viewerOf(requester), timeoutMs, signal);
    const slot = requester.childId === undefined ? undefined : this.#children.slotOf(requester.childId);
    return slot ? slot.yieldWhile(work) : work();
  }

  /** Resolves with the run's record when it is final, or as it stands when `signal` aborts or the gateway closes. @throws Fault `not_found` */
  async runEnded(requester: Requester, runId: string, signal?: AbortSignal): Promise<RunRecord> {
    await this.#adoption.addWaited([runId], viewerOf(requester));
    for (;;) {
      let changed: () => void = () => {};
      const change = new Promise<void>((resolve) => {
        changed = resolve;
      });
      const off = this.#context.notifier.on(runId, changed);
      signal?.addEventListener("abort", changed, { once: true });
      try {
        const run = await this.#context.registry.run(runId, viewerOf(requester));
        if (!run) throw notFound(runId);
        if (this.#closed || signal?.aborted || (run.state !== "running" && run.state !== "waiting")) return run;
        await change;
        if (this.#closed) return run;
      } finally {
        off();
        signal?.removeEventListener("abort", changed);
      }
    }
  }

  /** S-016: stops a run with its children, or one child. @throws Fault `not_found`, `wrong_state` */
  async stop(
    requester: Requester,
    id: string,
    reason: string | undefined,
  ): Promise<{ stopped: string; cancelledChildren: number }> {
    const viewer = viewerOf(requester);
    const stopped = isChildId(id) ? await this.#stopChild(id, reason, viewer) : await this.#stopRun(id, reason, viewer);
    this.#children.abort(stopped.cancelled);
    this.#turns.wake(stopped.wake);
    this.#context.notifier.emit(id);
    return { stopped: id, cancelledChildren: stopped.cancelled.filter((childId) => childId !== id).length };
  }

  /** Releases a quarantined run; any other live run is going on already. @throws Fault `not_found`, `wrong_state` */
  async resume(requester: Requester, runId: string): Promise<RunRecord> {
    const { registry, clock } = this.#context;
    const run = await registry.run(runId, viewerOf(requester));
    if (!run) throw notFound(runId);
    const adopted = await this.#adoption.add(runId);
    if (run.state === "quarantined") await registry.releaseRun(runId, clock.now());
    else if (adopted && run.children.queued + run.children.running > 0) return run;
    else if (run.state !== "running" && run.state !== "waiting") {
      throw fault("wrong_state", `The run is ${run.state}; only a run that has not ended can go on.`, {
        details: { state: run.state },
      });
    }
    // What was put aside with it, or had to wait for something that is there now.
    await this.#adoption.enqueueBelow(runId);
    this.#turns.wake([runId]);
    return (await registry.run(runId, viewerOf(requester))) ?? run;
  }

  /** @throws Fault as `decide` in people.ts */
  decide(requester: Requester, approvalId: string, request: ApprovalRequest): Promise<ApprovalRecord> {
    return decide(this.#people, viewerOf(requester), approvalId, request);
  }

  /** @throws Fault as `send` in people.ts */
  sendEvent(requester: Requester, event: RunEvent): Promise<EventAnswer> {
    return send(this.#people, viewerOf(requester), event);
  }

  counts(): { running: number; queued: number; turns: number } {
    return { ...this.#children.counts(), turns: this.#turns.inFlight };
  }

  /** Nothing new starts; what runs is aborted and stays `running` in the registry, to be rerun at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#sweepTimer?.cancel();
    await Promise.all([
      this.#alarm.close(),
      this.#turns.close(),
      this.#children.close(),
      this.#calls.close(),
      this.#sweeping,
    ]);
    this.#context.notifier.close();
  }

  /** The alarm rings when a budget of time is over; too early is harmless, the registry knows what is due. */
  #armBudgets(createdAt: number, runSeconds: number | undefined, agentId: string | undefined): void {
    const groupSeconds = this.#context.policy.swarmFor(agentId).budget?.group?.seconds;
    for (const seconds of [runSeconds, groupSeconds]) {
      if (seconds !== undefined) this.#alarm.arm(Math.ceil(createdAt + seconds * 1000));
    }
  }

  async #stopRun(runId: string, reason: string | undefined, viewer: Viewer): Promise<Stopped> {
    const { registry, guest, clock } = this.#context;
    const run = await registry.run(runId, viewer);
    if (!run) throw notFound(runId);
    const error = toFaultData(
      fault("run_stopped", reason === undefined ? "The run was stopped." : `The run was stopped: ${reason}`),
    );
    const stopped = await registry.endRun(runId, { state: "killed", error }, true, clock.now());
    if (!stopped.applied)
      throw fault("wrong_state", `The run is ${run.state} already.`, { details: { state: run.state } });
    this.#calls.end(runId);
    guest.interrupt(runId);
    guest.evict(runId);
    return stopped;
  }

  async #stopChild(childId: string, reason: string | undefined, viewer: Viewer): Promise<Stopped> {
    const { registry, clock } = this.#context;
    const [child] = await registry.childrenById([childId], viewer);
    if (!child) throw notFound(childId);
    const stopped = await registry.cancelChild(childId, reason ?? "The child was stopped.", clock.now());
    if (!stopped.applied)
      throw fault("wrong_state", `The child is ${child.status} already.`, { details: { state: child.status } });
    return stopped;
  }

  get #people(): PeopleParts {
    return { context: this.#context, wake: (runIds) => this.#turns.wake(runIds) };
  }

  #armSweep(): void {
    if (this.#closed) return;
    this.#sweepTimer = this.#context.clock.setTimer(SWEEP_MS, () => {
      this.#sweeping = this.#sweep().finally(() => this.#armSweep());
    });
  }

  /** S-017, and the promise that a missed notification costs a sweep, never a hang. */
  async #sweep(): Promise<void> {
    const { registry, clock, policy, log } = this.#context;
    try {
      const minutes = policy.swarmFor(undefined).archiveAfterMinutes;
      if (minutes > 0) await registry.archiveGroups(clock.now() - minutes * 60_000, clock.now(), SWEEP_ROWS_MAX);
      this.#turns.wake(await registry.readyRuns("", SWEEP_ROWS_MAX));
      await this.#expireQuarantined();
    } catch (error) {
      if (!this.#closed) log("warn", "the sweep was put off", { code: isFault(error) ? error.code : "internal" });
    }
  }

  /**
   * A quarantined run is the only one that nothing will ever wake; it keeps its snapshot for so long and fails
   * for good then. A run that waits never expires: what it waits for is the signal (C-007, C-008).
   */
  async #expireQuarantined(): Promise<void> {
    const { registry, clock, policy } = this.#context;
    const before = clock.now() - policy.codeMode.snapshotTtlSeconds * 1000;
    const { rows } = await registry.runs({ sessionKey: "", all: true }, { limit: SWEEP_ROWS_MAX }, "quarantined");
    for (const run of rows) {
      if (run.endedAt === undefined || run.endedAt > before) continue;
      const error = toFaultData(fault("run_quarantined", "The run was quarantined and nobody released it in time."));
      const stopped = await registry.endRun(run.runId, { state: "failed", error }, true, clock.now());
      this.#children.abort(stopped.cancelled);
      this.#turns.wake(stopped.wake);
      this.#context.notifier.emit(run.runId);
    }
  }
}

export function viewerOf(requester: Requester): Viewer {
  return { sessionKey: requester.sessionKey, all: requester.operator };
}

export function notFound(id: string): Error {
  return fault("not_found", `There is nothing with the id ${JSON.stringify(id.slice(0, 100))} that you may see.`);
}
