// The registry's contract in memory, as short as it can be said: what a store must answer after any
// sequence of writes. One session; a group per run and one that runs share.

import type { ChildStatus, RunState } from "../../../src/contract/records.ts";

export const LIMITS = { maxChildrenPerGroup: 3, maxTotalPerGroup: 8 };

export type Answer =
  | { kind: "text"; payload: string }
  | { kind: "error"; code: string }
  | { kind: "child"; childId: string }
  | { kind: "any"; completed: string[]; pending: string[]; errors: string[] };

export interface ModelCall {
  callId: number;
  wait: { one: string } | { any: string[] } | "sleep";
  dueAt: number | null;
}

export interface ModelRun {
  runId: string;
  number: number;
  state: RunState;
  turn: number;
  epoch: number;
  nextCall: number;
  lastSettle: number;
  pending: Map<number, ModelCall>;
  undelivered: { callId: number; settleNumber: number; answer: Answer }[];
}

export interface ModelChild {
  childId: string;
  runId: string;
  groupId: string;
  status: ChildStatus;
  attempt: number;
  failOnRestart: boolean;
}

export interface Spawn {
  childId: string;
  groupId: string;
  admitted: boolean;
  failOnRestart: boolean;
}

export class Model {
  readonly runs = new Map<string, ModelRun>();
  /** In the order of their spawns. */
  readonly children = new Map<string, ModelChild>();
  staleSettlements = 0;
  /** Runs that the write under way gave something to consume. */
  woken = new Set<string>();

  create(runId: string, number: number): void {
    const fresh = { state: "running" as const, turn: 0, epoch: 1, nextCall: 1, lastSettle: 0 };
    this.runs.set(runId, { runId, number, ...fresh, pending: new Map(), undelivered: [] });
  }

  isLive(child: ModelChild | undefined): child is ModelChild {
    return child?.status === "queued" || child?.status === "running";
  }

  isOver(run: ModelRun): boolean {
    return run.state === "done" || run.state === "failed" || run.state === "killed";
  }

  ofGroup(groupId: string): { live: number; total: number } {
    const all = [...this.children.values()].filter((child) => child.groupId === groupId);
    return { live: all.filter((child) => this.isLive(child)).length, total: all.length };
  }

  /** The code of the refusal, or undefined when the child is stored. */
  spawn(run: ModelRun, spawn: Spawn): string | undefined {
    const { live, total } = this.ofGroup(spawn.groupId);
    if (total >= LIMITS.maxTotalPerGroup) return "group_total_limit";
    if (live >= LIMITS.maxChildrenPerGroup) return "child_limit";
    const { childId, groupId, failOnRestart, admitted } = spawn;
    const started = admitted ? { status: "running" as const, attempt: 1 } : { status: "queued" as const, attempt: 0 };
    this.children.set(childId, { childId, runId: run.runId, groupId, failOnRestart, ...started });
    return undefined;
  }

  /** Calls of a run that ends with this turn are not stored. */
  wait(run: ModelRun, call: ModelCall, refused: ReadonlyMap<string, string>): void {
    run.pending.set(call.callId, call);
    if (call.wait === "sleep") return;
    if ("any" in call.wait) {
      const state = this.anyState(call.wait.any);
      const now = state.completed.length > 0 || state.pending.length === 0 || call.dueAt === -1;
      if (now) this.settle(run, call.callId, { kind: "any", ...state });
      return;
    }
    const childId = call.wait.one;
    const child = this.children.get(childId);
    const code = refused.get(childId) ?? (child ? undefined : "not_found");
    if (code !== undefined) this.settle(run, call.callId, { kind: "error", code });
    else if (!this.isLive(child)) this.settle(run, call.callId, { kind: "child", childId });
  }

  anyState(ids: readonly string[]): { completed: string[]; pending: string[]; errors: string[] } {
    const known = ids.filter((id) => this.children.has(id));
    return {
      completed: known.filter((id) => !this.isLive(this.children.get(id))),
      pending: known.filter((id) => this.isLive(this.children.get(id))),
      errors: ids.filter((id) => !this.children.has(id)),
    };
  }

  settle(run: ModelRun, callId: number, answer: Answer): void {
    run.pending.delete(callId);
    run.lastSettle += 1;
    run.undelivered.push({ callId, settleNumber: run.lastSettle, answer });
    if (run.state === "waiting") run.state = "running";
    if (run.state === "running") this.woken.add(run.runId);
  }

  /** A child becomes final: everybody who waits for it is answered, in the order of their calls. */
  finish(child: ModelChild, status: ChildStatus): void {
    child.status = status;
    for (const run of this.runs.values()) {
      const calls = [...run.pending.values()].sort((left, right) => left.callId - right.callId);
      for (const { callId, wait } of calls) {
        if (wait === "sleep") continue;
        if ("one" in wait && wait.one === child.childId) this.settle(run, callId, { kind: "child", childId: wait.one });
        if ("any" in wait && wait.any.includes(child.childId)) {
          this.settle(run, callId, { kind: "any", ...this.anyState(wait.any) });
        }
      }
    }
  }

  kill(children: readonly ModelChild[]): string[] {
    const live = children.filter((child) => this.isLive(child));
    for (const child of live) this.finish(child, "killed");
    return live.map(({ childId }) => childId);
  }

  childrenOf(runId: string): ModelChild[] {
    return [...this.children.values()].filter((child) => child.runId === runId);
  }

  end(run: ModelRun, state: RunState): void {
    run.state = state;
    run.epoch += 1;
    if (state === "quarantined") return;
    run.pending.clear();
    run.undelivered = [];
  }

  complete(childId: string, attempt: number, status: ChildStatus): boolean {
    const child = this.children.get(childId);
    const current = child?.attempt === attempt;
    const timedOut = child?.status === "queued" && status === "timeout";
    if (!child || !current || (child.status !== "running" && !timedOut)) {
      this.staleSettlements += 1;
      return false;
    }
    this.finish(child, status);
    return true;
  }

  fire(now: number): void {
    const due = [...this.runs.values()].flatMap((run) =>
      [...run.pending.values()].flatMap((call) => (call.dueAt !== null && call.dueAt <= now ? [{ run, call }] : [])),
    );
    const order = (entry: (typeof due)[number]): number[] => [
      entry.call.dueAt ?? 0,
      entry.run.number,
      entry.call.callId,
    ];
    due.sort((left, right) => compare(order(left), order(right)));
    for (const { run, call } of due) {
      const { wait } = call;
      if (wait === "sleep") this.settle(run, call.callId, { kind: "text", payload: "null" });
      else if ("any" in wait) this.settle(run, call.callId, { kind: "any", ...this.anyState(wait.any) });
    }
  }

  recover(): { requeued: number; interrupted: number } {
    const running = [...this.children.values()].filter(({ status }) => status === "running");
    for (const child of running) {
      if (child.failOnRestart) this.finish(child, "failed");
      else child.status = "queued";
    }
    const interrupted = running.filter(({ failOnRestart }) => failOnRestart).length;
    return { requeued: running.length - interrupted, interrupted };
  }
}

function compare(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((value, at) => value !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
