// The turn loop: a run with answers gets a turn; the turn's calls, answers, notes and snapshot become
// one commit; only after it do children start (L1, L2, L4). One turn of a run at a time; FIFO between
// runs. A commit that fails condemns the hot VM: the run is back at its last snapshot.

import type { GuestStart, GuestTurnReport } from "../bridge/port.ts";
import { type Fault, type FaultCode, fault, isFault, toFaultData } from "../contract/fault.ts";
import { ANSWER_BYTES_PER_TURN_MAX, ANSWERS_PER_TURN_MAX } from "../contract/limits.ts";
import type {
  NewChild,
  RunForTurn,
  RunOutcome,
  TurnCommit,
  TurnCommitted,
  UndeliveredAnswer,
} from "../registry/port.ts";
import { toGuestAnswer } from "./answers.ts";
import type { ChildScheduler } from "./children.ts";
import { planCommit, type TurnFacts } from "./commit.ts";
import type { SwarmContext } from "./context.ts";
import { type HotRun, HotRuns, hotRunOf, startOf } from "./hot-runs.ts";
import { answerWorkflows } from "./nested.ts";
import { childAsStored } from "./new-child.ts";
import { Pause } from "./pause.ts";
import { ReadyQueue } from "./ready-queue.ts";
import { Resumes } from "./resumes.ts";
import type { Scope } from "./scope.ts";
import { isToolCall, type ScriptCalls } from "./script-calls.ts";
import { toolServersFor } from "./script-tools.ts";
import type { Alarm } from "./timers.ts";

/** Turns under way at once; enough to keep the VM workers busy while commits are on their way. */
const TURNS_IN_FLIGHT_MAX = 16;
/** With fewer runs waiting for a turn, more timers are settled; with more, their answers would only lie about. */
const WAITING_FOR_TURN_LOW = 500;
const STORAGE_RETRY_MS = 500;
/** Faults that end nothing: the run stays as it is and goes on later. */
const PASSING: readonly FaultCode[] = [
  "storage_full",
  "storage_io",
  "storage_closed",
  "stale_epoch",
  "run_stopped",
  "overloaded",
];

export interface TurnParts {
  context: SwarmContext;
  children: ChildScheduler;
  calls: ScriptCalls;
  alarm: Alarm;
  scope: Scope;
}

export class TurnLoop {
  readonly #parts: TurnParts;
  readonly #queue: ReadyQueue;
  readonly #pause: Pause;
  /** Runs under suspicion, one at a time. A run is in one of the two queues. */
  readonly #trials: ReadyQueue;
  readonly #resumes: Resumes;
  readonly #hot = new HotRuns();
  /** The end has begun: no resume is tried any more. */
  #ending = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#pause = new Pause(parts.context.clock);
    this.#resumes = new Resumes(parts.context.registry);
    this.#queue = new ReadyQueue(TURNS_IN_FLIGHT_MAX, (runId) => this.#advance(runId, false));
    this.#trials = new ReadyQueue(1, (runId) => this.#advance(runId, true));
  }

  /** Gives the run a turn soon; harmless when it has nothing to consume. */
  wake(runIds: string[]): void {
    const { scope } = this.#parts;
    for (const runId of runIds) if (scope.includes(runId)) this.#queue.add(runId);
  }

  /** Resolves when so few runs wait for a turn that more may be woken. */
  room(): Promise<void> {
    return this.#queue.room(WAITING_FOR_TURN_LOW);
  }

  /** A run that was created a moment ago. */
  begin(runId: string): void {
    this.#resumes.begin(runId);
    this.#queue.add(runId);
  }

  /** Quarantines a run for a reason that passes when the operator has done something about it. */
  putAside(runId: string, reason: Fault): Promise<void> {
    const { message, details } = reason;
    const next = `Set what the message names for the gateway, then: quickswarm resume ${runId}`;
    return this.#end(runId, {
      state: "quarantined",
      error: toFaultData(fault(reason.code, message, { next, ...(details && { details }) })),
    });
  }

  get inFlight(): number {
    return this.#queue.inFlight + this.#trials.inFlight;
  }

  async close(): Promise<void> {
    this.#ending = true;
    this.#pause.close();
    this.#resumes.close();
    await Promise.all([this.#queue.close(), this.#trials.close()]);
  }

  async #advance(runId: string, onTrial: boolean): Promise<void> {
    try {
      if (!onTrial && this.#trials.has(runId)) return this.#trials.add(runId);
      const hot = this.#hot.get(runId);
      if (hot) return await this.#answer(hot);
      const row = await this.#liveRow(runId);
      if (row) await this.#wakeCold(row, onTrial);
    } catch (error) {
      await this.#failed(runId, error);
    }
  }

  async #liveRow(runId: string): Promise<RunForTurn | undefined> {
    const row = await this.#parts.context.registry.runForTurn(runId);
    return row?.run.state === "running" || row?.run.state === "waiting" ? row : undefined;
  }

  /** A run that had no turn in this process, or none for a while. */
  async #wakeCold(row: RunForTurn, onTrial: boolean): Promise<void> {
    const { runId, turn } = row.run;
    const advance = (): Promise<void> => {
      return turn === 0 ? this.#begin(row) : this.#answer(hotRunOf(row));
    };
    const standing = this.#resumes.standingOf(row);
    if (standing === "known") return advance();
    // A run that nothing has come in for is not resumed, so nothing is counted.
    if (turn > 0 && (await this.#answersOf(runId, 1)).length === 0) return;
    if (standing === "guilty") return this.#quarantine(row);
    if (standing === "suspect" && !onTrial) return this.#trials.add(runId);
    if (standing === "suspect") await this.#resumes.wait(row);
    if (this.#ending || (standing === "suspect" && !(await this.#liveRow(runId)))) return;
    await this.#resumes.try(runId, this.#parts.context.clock.now(), advance);
  }

  async #begin(row: RunForTurn): Promise<void> {
    const tools = await toolServersFor(this.#parts.context, row);
    if (!this.#ending) await this.#turn(hotRunOf(row), { ...startOf(row), tools }, []);
  }

  #quarantine({ run }: RunForTurn): Promise<void> {
    const error = fault("run_quarantined", `Resuming this run took the gateway down ${run.resumeCrashes} times.`);
    return this.#end(run.runId, { state: "quarantined", error: toFaultData(error) });
  }

  async #answer(hot: HotRun): Promise<void> {
    const answers = await this.#answersOf(hot.run.runId, ANSWERS_PER_TURN_MAX);
    if (answers.length > 0) await this.#turn(hot, undefined, answers);
  }

  #answersOf(runId: string, limit: number): Promise<UndeliveredAnswer[]> {
    return this.#parts.context.registry.undelivered(runId, limit, ANSWER_BYTES_PER_TURN_MAX);
  }

  async #turn(hot: HotRun, start: GuestStart | undefined, answers: UndeliveredAnswer[]): Promise<void> {
    const { context } = this.#parts;
    const { runId } = hot.run;
    const turn = hot.run.turn + 1;
    const isInherited = !this.#resumes.began(runId);
    context.failurePoint("beforeTurn");
    // The settlement that woke this run may be applied and not yet durable: let the turn's commit join it.
    const release = context.registry.hold();
    try {
      const spending = await context.registry.runSpending(runId);
      const report = await context.guest.turn({
        runId,
        turn,
        start: start && { ...start, budget: spending },
        answers: answers.map((answer) => toGuestAnswer(answer, spending)),
        chain: () => context.registry.snapshotChain(runId),
        limits: hot.limits.codeMode,
        nowMs: context.clock.now(),
      });
      context.failurePoint("afterSlice");
      const nested = await answerWorkflows(context, runId, report.calls);
      const commit = this.#plan({ ...hot, turn, isInherited, answers, nested, at: context.clock.now() }, report);
      const ended = await this.#commit(commit, release);
      if (ended) this.#forget(runId);
      else this.#hot.keep({ ...hot, run: { ...hot.run, turn } });
    } finally {
      release();
    }
  }

  /** A plan that fails gives back the places that it took; those of one that is made are the commit's. */
  #plan(facts: TurnFacts, report: GuestTurnReport): TurnCommit {
    const { context, children } = this.#parts;
    const { policy, runners, tools } = context;
    const reserved: string[] = [];
    const reserve = (childId: string, groupId: string, groupMax: number): boolean => {
      reserved.push(childId);
      return children.reserve(childId, groupId, groupMax);
    };
    try {
      return planCommit({ policy, runners, tools, reserve }, facts, report);
    } catch (error) {
      for (const childId of reserved) children.discard(childId);
      throw error;
    }
  }

  /** Returns whether the run has ended with this turn. */
  async #commit(commit: TurnCommit, release: () => void): Promise<boolean> {
    const { context, children, calls, alarm } = this.#parts;
    const { runId } = commit;
    let committed: TurnCommitted;
    try {
      context.failurePoint("beforeTurnCommit");
      const writing = context.registry.commitTurn(commit);
      release();
      committed = await writing;
    } catch (error) {
      for (const child of commit.children) children.discard(child.childId);
      throw error;
    }
    context.failurePoint("afterTurnCommit");
    this.#startChildren(commit.children, committed, commit.at);
    children.abort(committed.cancelled);
    this.wake(committed.woken);
    alarm.arm(committed.earliestDueAt);
    if (committed.wake) this.#queue.add(runId);
    const ended = commit.outcome !== null || (!committed.wake && committed.pendingCalls === 0);
    if (!ended) calls.start(runId, commit.calls.filter(isToolCall));
    else {
      calls.end(runId);
      context.guest.evict(runId);
      context.notifier.emit(runId);
    }
    return ended;
  }

  #startChildren(planned: NewChild[], committed: TurnCommitted, at: number): void {
    const { children } = this.#parts;
    const stored = new Set(committed.spawned);
    const cancelled = new Set(committed.cancelled);
    for (const child of planned) {
      if (!stored.has(child.childId) || cancelled.has(child.childId)) children.discard(child.childId);
      else children.begin(childAsStored(child, at), child.admitted);
    }
  }

  /** Ends a run outside a turn: a host fault, a quarantine (L6). */
  async #end(runId: string, outcome: RunOutcome): Promise<void> {
    const { context, children } = this.#parts;
    this.#forget(runId);
    context.failurePoint("beforeRunEnd");
    // A quarantined run may be released again, so its children are kept.
    const cancelChildren = outcome.state !== "quarantined";
    const stopped = await context.registry.endRun(runId, outcome, cancelChildren, context.clock.now());
    context.failurePoint("afterRunEnd");
    if (cancelChildren) this.#parts.calls.end(runId);
    context.guest.evict(runId);
    children.abort(stopped.cancelled);
    this.wake(stopped.wake);
    context.notifier.emit(runId);
  }

  #forget(runId: string): void {
    this.#hot.forget(runId);
    this.#resumes.forget(runId);
  }

  async #failed(runId: string, error: unknown): Promise<void> {
    const { context } = this.#parts;
    const data = toFaultData(error);
    this.#hot.forget(runId);
    context.guest.evict(runId);
    if (data.code === "storage_closed") this.#ending = true;
    if (data.code === "storage_closed" || data.code === "run_stopped") return;
    if (PASSING.includes(data.code)) {
      context.log("warn", "a turn was not committed; the run is back at its last snapshot", { runId, code: data.code });
      await this.#pause.for(STORAGE_RETRY_MS);
      this.#queue.add(runId);
      return;
    }
    if (data.code === "internal") context.log("error", "a turn failed unexpectedly", { runId, code: data.code });
    try {
      if (data.code === "model_key_missing" && isFault(error)) await this.putAside(runId, error);
      else await this.#end(runId, { state: "failed", error: data });
    } catch (storage) {
      if (isFault(storage) && storage.code === "storage_closed") return;
      await this.#pause.for(STORAGE_RETRY_MS);
      this.#queue.add(runId);
    }
  }
}
