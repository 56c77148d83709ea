// Runs children: reserves their places, claims and starts them, retries, settles each exactly once
// (L3, L12), and ends them when they are cancelled. Nothing here is truth: after a crash all of it is
// rebuilt from the registry.

import { isFault } from "../contract/fault.ts";
import type { ChildForRun, Settled } from "../registry/port.ts";
import { type Attempt, type AttemptEnd, startAttempt } from "./attempt.ts";
import { billOfEnd, toCompletion } from "./completion.ts";
import type { SwarmContext } from "./context.ts";
import { Lanes, type Slot } from "./lanes.ts";
import { Pause } from "./pause.ts";
import { Purse } from "./purse.ts";

/** First pause before a child is tried again; doubles each time. */
const RETRY_PAUSE_MS = 250;
const RETRY_PAUSE_MS_MAX = 30_000;
const STORAGE_RETRY_MS = 500;

interface LiveChild {
  childId: string;
  groupId: string;
  groupMax: number;
  slot: Slot;
  /** Set once its record is durable; nothing starts before (L1). */
  child: ChildForRun | undefined;
  attempt: Attempt | undefined;
}

export class ChildScheduler {
  readonly #context: SwarmContext;
  readonly #lanes: Lanes;
  readonly #live = new Map<string, LiveChild>();
  readonly #pause: Pause;
  readonly #purse: Purse;
  readonly #work = new Set<Promise<void>>();
  readonly #onSettled: (runIds: string[]) => void;
  #toClaim: LiveChild[] = [];
  #closed = false;

  /** @param onSettled wakes runs that have an answer to consume; called before the settlement is durable as well */
  constructor(context: SwarmContext, onSettled: (runIds: string[]) => void) {
    this.#context = context;
    this.#lanes = new Lanes(context.policy.maxConcurrentGlobal);
    this.#pause = new Pause(context.clock);
    this.#purse = new Purse(context);
    this.#onSettled = onSettled;
  }

  counts(): { running: number; queued: number } {
    return this.#lanes.counts();
  }

  /** Takes a place in line before the child's record is committed. Returns whether it may run at once. */
  reserve(childId: string, groupId: string, groupMax: number): boolean {
    const live = this.#enter(childId, groupId, groupMax);
    return live.slot.granted;
  }

  /** Gives back the place of a child that was refused or whose commit failed. */
  discard(childId: string): void {
    this.#drop(childId);
  }

  /** Its record is durable. An admitted child is stored as running and starts now. */
  begin(child: ChildForRun, admitted: boolean): void {
    const live = this.#live.get(child.record.runId);
    if (!live) return;
    live.child = child;
    if (admitted) this.#start(live);
    else if (live.slot.granted) this.#claimSoon(live);
  }

  /** A queued child from the registry, at start. */
  enqueue(child: ChildForRun, groupMax: number): void {
    if (this.#live.has(child.record.runId)) return;
    const live = this.#enter(child.record.runId, child.record.groupId, groupMax);
    live.child = child;
    if (live.slot.granted) this.#claimSoon(live);
  }

  /** Ends what runs of children that are final in the registry already. */
  abort(childIds: string[]): void {
    for (const childId of childIds) {
      this.#context.notifier.emit(childId);
      const live = this.#live.get(childId);
      if (live?.attempt) live.attempt.abort();
      else this.#drop(childId);
    }
    if (childIds.length > 0) this.#track(this.enqueueStored(() => this.#context.registry.freedBy(childIds)));
  }

  /** Children that the registry has queued by itself: of a fork, or freed by the end of the one that they followed. */
  async enqueueStored(which: () => Promise<string[]>): Promise<void> {
    for (const childId of (await this.#withStorage(which)) ?? []) {
      const child = await this.#context.registry.childForRun(childId);
      if (child) this.enqueue(child, this.#context.policy.swarmFor(child.record.agentId).maxConcurrent);
    }
  }

  /** The slot of a running child that waits, so that it holds none meanwhile (L11). */
  slotOf(childId: string): Slot | undefined {
    return this.#live.get(childId)?.slot;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#pause.close();
    for (const live of this.#live.values()) {
      if (live.attempt) live.attempt.abort();
      else live.slot.release();
    }
    while (this.#work.size > 0) await Promise.all(this.#work);
    this.#live.clear();
  }

  #enter(childId: string, groupId: string, groupMax: number): LiveChild {
    // A grant during `enter` itself finds no entry yet; the caller looks at `slot.granted` then.
    const slot = this.#lanes.enter(groupId, groupMax, () => this.#granted(childId));
    const live: LiveChild = { childId, groupId, groupMax, slot, child: undefined, attempt: undefined };
    this.#live.set(childId, live);
    return live;
  }

  #granted(childId: string): void {
    const live = this.#live.get(childId);
    if (live?.child && !live.attempt) this.#claimSoon(live);
  }

  #drop(childId: string): void {
    const live = this.#live.get(childId);
    if (!live) return;
    this.#live.delete(childId);
    live.slot.release();
  }

  /** Grants of one moment become one claim, in the same transaction as the completions that made room. */
  #claimSoon(live: LiveChild): void {
    this.#toClaim.push(live);
    if (this.#toClaim.length === 1) queueMicrotask(() => this.#track(this.#claim()));
  }

  async #claim(): Promise<void> {
    const claimed = this.#toClaim;
    this.#toClaim = [];
    if (this.#closed) return;
    try {
      const ids = claimed.map((live) => live.childId);
      const rows = new Map(
        (await this.#context.registry.claimChildren(ids, this.#context.clock.now())).map((row) => [
          row.record.runId,
          row,
        ]),
      );
      for (const live of claimed) {
        const row = rows.get(live.childId);
        if (!row || this.#live.get(live.childId) !== live) this.#drop(live.childId);
        else {
          live.child = row;
          this.#start(live);
        }
      }
    } catch (error) {
      if (!this.#mayRetry(error)) return;
      await this.#pause.for(STORAGE_RETRY_MS);
      for (const live of claimed) if (!this.#closed && this.#live.get(live.childId) === live) this.#claimSoon(live);
    }
  }

  #start(live: LiveChild): void {
    const child = live.child;
    if (!child || this.#closed) return;
    this.#context.failurePoint("beforeChildStart");
    const attempt = startAttempt(this.#context, child, this.#purse);
    live.attempt = attempt;
    this.#track(attempt.end.then((end) => this.#ended(live, child, end)));
  }

  async #ended(live: LiveChild, child: ChildForRun, end: AttemptEnd): Promise<void> {
    this.#context.failurePoint("afterChildRun");
    live.attempt = undefined;
    if (end.status === "aborted" || this.#closed) {
      this.#drop(live.childId);
      return this.#bill(child, end);
    }
    const retries = child.options.retries ?? 0;
    if (end.status === "failed" && end.retryable && child.record.attempts <= retries)
      return this.#again(live, child, end);
    // The place is free as soon as the work is over: the next claim joins the transaction that settles this child.
    this.#live.delete(live.childId);
    live.slot.release();
    await this.#settle(child, end);
  }

  /** What was used is billed, though the attempt ends nothing (B-003). */
  async #bill(child: ChildForRun, end: AttemptEnd): Promise<void> {
    const bill = billOfEnd(child, end);
    if (!bill) return;
    await this.#withStorage(() => this.#context.registry.bill(bill));
    this.#purse.freed();
  }

  /** Back to its old place in the queue, after a pause that holds no slot (D-011). */
  async #again(live: LiveChild, child: ChildForRun, end: AttemptEnd & { status: "failed" }): Promise<void> {
    live.slot.release();
    this.#live.delete(live.childId);
    const { registry, clock } = this.#context;
    const pauseMs = Math.min(RETRY_PAUSE_MS * 2 ** (child.record.attempts - 1), RETRY_PAUSE_MS_MAX);
    const waiting = this.#enterIdle(live);
    await this.#bill(child, end);
    const kept = await this.#withStorage(() =>
      registry.requeueChild(live.childId, child.record.attempts, end.error, clock.now()),
    );
    if (kept !== true) return this.#drop(live.childId);
    await this.#pause.for(pauseMs);
    if (this.#closed || this.#live.get(live.childId) !== waiting) return;
    this.#live.delete(live.childId);
    this.enqueue(child, live.groupMax);
  }

  /** Keeps the child known (and cancellable) while it pauses without a place in line. */
  #enterIdle(live: LiveChild): LiveChild {
    const idle: LiveChild = {
      ...live,
      slot: { granted: false, release: () => {}, yieldWhile: (work) => work() },
      child: undefined,
      attempt: undefined,
    };
    this.#live.set(live.childId, idle);
    return idle;
  }

  async #settle(child: ChildForRun, end: Exclude<AttemptEnd, { status: "aborted" }>): Promise<void> {
    const { registry, notifier, clock, failurePoint } = this.#context;
    const completion = toCompletion(child, end, clock.now());
    failurePoint("beforeSettle");
    const onApplied = (settled: Settled): void => this.#onSettled(settled.runIds);
    const settled = await this.#withStorage(() => registry.completeChild(completion, { onApplied }));
    if (!settled) return;
    this.#purse.freed();
    if (!settled.applied) await this.#bill(child, end);
    failurePoint("afterSettle");
    this.#onSettled(settled.runIds);
    notifier.emit(completion.childId);
    // A budget that cut this child does not cut what followed it in a fork.
    if (completion.errorCode === "budget_exceeded")
      await this.enqueueStored(() => registry.freedBy([completion.childId]));
  }

  /** Repeats a write until the disk takes it; a child's answer is never dropped for a full disk. */
  async #withStorage<Value>(write: () => Promise<Value>): Promise<Value | undefined> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!this.#mayRetry(error)) return undefined;
        await this.#pause.for(STORAGE_RETRY_MS);
      }
    }
  }

  #mayRetry(error: unknown): boolean {
    const code = isFault(error) ? error.code : "internal";
    if (this.#closed || code === "storage_closed") return false;
    const retry = code === "storage_full" || code === "storage_io";
    this.#context.log(
      retry ? "warn" : "error",
      retry ? "storage refused a child's write; trying again" : "a child's write failed",
      { code },
    );
    return retry;
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => {
      this.#context.log("error", "a child's work failed unexpectedly", {
        code: isFault(error) ? error.code : "internal",
      });
    });
    this.#work.add(tracked);
    void tracked.finally(() => this.#work.delete(tracked));
  }
}
