// Random turns: built from acts, sent to the registry and done to the model.

import { expect } from "vitest";
import type { Call } from "../../../src/contract/calls.ts";
import { childIdOf } from "../../../src/contract/ids.ts";
import type { NewChild, RunOutcome, TurnCommit } from "../../../src/registry/port.ts";
import { codeOf, newRun, snapshotOf } from "../../suites/registry/builders.ts";
import { LIMITS, type ModelCall, type ModelChild, type ModelRun } from "./model.ts";
import { type Act, type End, ERROR, nth, type Play, send } from "./play.ts";

interface Turn {
  readonly run: ModelRun;
  readonly calls: Call[];
  readonly children: NewChild[];
  readonly waits: ModelCall[];
}

export interface TurnFacts {
  run: number;
  consumed: number;
  acts: Act[];
  end: End;
}

export function turn(play: Play, operation: TurnFacts): void {
  const { registry, model } = play;
  const run = nth(model.runs.values(), operation.run);
  if (!run) return;
  const consumed = run.undelivered.slice(0, operation.consumed);
  const commit = commitOf(play, run, operation.acts, operation.end, consumed);
  if (run.state !== "running" && run.state !== "waiting") {
    send(play, codeOf(registry.commitTurn(commit)), (code) => expect(code).toBe("stale_epoch"));
    return;
  }
  run.undelivered.splice(0, consumed.length);
  const ends = commit.outcome !== null;
  const { spawned, refused, cancelled } = applyCalls(play, run, commit, ends);
  run.turn += 1;
  if (!ends) run.state = run.undelivered.length > 0 ? "running" : "waiting";
  else {
    model.end(run, operation.end === "failed" ? "failed" : "done");
    if (commit.cancelChildren) cancelled.push(...model.kill(model.childrenOf(run.runId)));
  }
  const expected = {
    ...{ spawned, refused: [...refused], cancelled, wake: !ends && run.undelivered.length > 0 },
    woken: [...model.woken].filter((runId) => runId !== run.runId).sort(),
    pendingCalls: ends ? 0 : run.pending.size,
  };
  send(play, registry.commitTurn(commit), ({ earliestDueAt: _due, ...committed }) => {
    const codes = committed.refused.map(({ childId, error }) => [childId, error.code]);
    expect({ ...committed, refused: codes, woken: committed.woken.sort() }).toEqual(expected);
  });
}

function applyCalls(play: Play, run: ModelRun, commit: TurnCommit, ends: boolean) {
  const { model } = play;
  const spawned: string[] = [];
  const refused = new Map<string, string>();
  const cancelled: string[] = [];
  for (const call of commit.calls) {
    const child = commit.children.find(({ callId }) => callId === call.callId);
    if (child) {
      const { childId, groupId, admitted, options } = child;
      play.groupIds.add(groupId);
      const code = model.spawn(run, { childId, groupId, admitted, failOnRestart: options.onRestart === "fail" });
      if (code === undefined) spawned.push(childId);
      else refused.set(childId, code);
    } else if (call.method === "agentCancel") {
      const target = model.children.get(call.args.id);
      const killed = target?.runId === run.runId ? model.kill([target]) : [];
      cancelled.push(...killed);
      const payload = killed.length > 0 ? "true" : "false";
      if (!ends) model.settle(run, call.callId, { kind: "text", payload });
    } else if (!ends) model.wait(run, waitOf(call, commit.at), refused);
  }
  return { spawned, refused, cancelled };
}

function waitOf(call: Call, at: number): ModelCall {
  if (call.method === "sleep") {
    return { callId: call.callId, wait: "sleep", dueAt: at + call.args.milliseconds };
  }
  if (call.method !== "agentWait") throw new TypeError(`${call.method} is no wait`);
  const { mode, ids, timeoutMs } = call.args;
  if (mode === "one") return { callId: call.callId, wait: { one: ids[0] ?? "" }, dueAt: null };
  const dueAt = timeoutMs === null ? null : timeoutMs === 0 ? -1 : at + timeoutMs;
  return { callId: call.callId, wait: { any: [...new Set(ids)] }, dueAt };
}

/** A turn that is not the run's next: refused, whatever it holds. */
export function badTurn(play: Play, operation: Pick<TurnFacts, "run" | "acts">): void {
  const run = nth(play.model.runs.values(), operation.run);
  if (!run) return;
  const next = run.nextCall;
  const commit = commitOf(play, run, operation.acts, "no", []);
  run.nextCall = next;
  const kind = operation.run % 3;
  if (kind === 0) commit.epoch += 1;
  if (kind === 1) commit.turn = run.turn;
  if (kind === 2) {
    const good = run.undelivered.map(({ callId, settleNumber }) => ({ callId, settleNumber }));
    commit.consumed = [...good, { callId: 1_000_000, settleNumber: 1 }];
  }
  send(play, codeOf(play.registry.commitTurn(commit)), (code) => expect(code).toBe("stale_epoch"));
}

function commitOf(
  play: Play,
  run: ModelRun,
  acts: readonly Act[],
  end: End,
  consumed: readonly { callId: number; settleNumber: number }[],
): TurnCommit {
  const turn: Turn = { run, calls: [], children: [], waits: [] };
  for (const act of acts) addCalls(play, turn, act);
  const next = run.turn + 1;
  return {
    ...{ runId: run.runId, epoch: run.epoch, turn: next, calls: turn.calls, children: turn.children, at: play.now },
    consumed: consumed.map(({ callId, settleNumber }) => ({ callId, settleNumber })),
    ...{ groupLimits: LIMITS, settled: [], notes: [], notesDropped: 0 },
    snapshot: end === "no" ? snapshotOf(run.runId, next, next % 3 === 1 ? null : next - 1) : null,
    outcome: end === "no" ? null : outcomeOf(end),
    cancelChildren: end === "cancelling",
  };
}

function outcomeOf(end: End): RunOutcome {
  return end === "failed" ? { state: "failed", error: ERROR } : { state: "done", result: "1" };
}

function addCalls(play: Play, turn: Turn, { act, x, y }: Act): void {
  const { run, calls, children } = turn;
  const known: ModelChild[] = [...play.model.children.values()];
  const ids = [...known.map(({ childId }) => childId), ...children.map(({ childId }) => childId), "agt_none"];
  const some = (index: number): string => nth(ids, index) ?? "agt_none";
  const add = (call: Omit<Call, "callId">): void => void calls.push({ ...call, callId: run.nextCall++ } as Call);
  if (act === "ask" || act === "spawn") {
    const callId = run.nextCall;
    const childId = childIdOf(run.runId, callId);
    const options = y % 5 === 0 ? { onRestart: "fail" as const } : {};
    add({ method: "agentSpawn", args: { prompt: "p", options } });
    const groupId = x % 3 === 0 ? "shared" : newRun(run.number).groupId;
    const base = { agentId: undefined, model: "m", prompt: "p", options, sessionKey: "owner", depth: 1 };
    children.push({ childId, callId, groupId, ...base, admitted: x % 2 === 0, deadlineAt: null });
    if (act === "ask") add({ method: "agentWait", args: { mode: "one", ids: [childId], timeoutMs: null } });
  }
  if (act === "waitOne") add({ method: "agentWait", args: { mode: "one", ids: [some(x)], timeoutMs: null } });
  if (act === "sleep") add({ method: "sleep", args: { milliseconds: x % 60 } });
  if (act === "cancel") add({ method: "agentCancel", args: { id: some(x) } });
  const timeouts = { waitAny: null, waitAnyTimed: (y % 60) + 1, waitAnyNow: 0 };
  if (act === "waitAny" || act === "waitAnyTimed" || act === "waitAnyNow") {
    add({ method: "agentWait", args: { mode: "any", ids: [some(x), some(y), some(x + y)], timeoutMs: timeouts[act] } });
  }
}
