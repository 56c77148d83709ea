// What can be seen of a registry and of the model, in one shape, so that the two can be compared.

import type { ChildCounts } from "../../../src/contract/records.ts";
import type { Registry, UndeliveredAnswer } from "../../../src/registry/port.ts";
import { OWNER } from "../../suites/registry/builders.ts";
import type { Answer, Model, ModelRun } from "./model.ts";

const NO_CHILDREN: ChildCounts = { queued: 0, running: 0, done: 0, failed: 0, killed: 0, timeout: 0 };

export async function observedIn(registry: Registry, model: Model): Promise<unknown> {
  const runs = await Promise.all([...model.runs.keys()].map((runId) => observedRun(registry, runId)));
  const records = await registry.childrenById([...model.children.keys()], OWNER);
  const { rows } = await registry.groups(OWNER, { limit: 1_000 });
  return {
    runs,
    children: records.map(({ runId, status, attempts }) => [runId, status, attempts]),
    groups: Object.fromEntries(rows.map(({ groupId, counts, total }) => [groupId, { counts, total }])),
    queue: (await registry.queuedChildren(0, 1_000)).map(({ record }) => record.runId),
    ready: await registry.readyRuns("", 1_000),
    staleSettlements: registry.counters().staleSettlements,
  };
}

async function observedRun(registry: Registry, runId: string): Promise<unknown> {
  const run = await registry.run(runId, OWNER);
  const answers = await registry.undelivered(runId, 1_000, Number.MAX_SAFE_INTEGER);
  return {
    runId,
    state: run?.state,
    turn: run?.turn,
    counts: run?.children,
    pending: (await registry.pendingCalls(runId)).map(({ callId, dueAt }) => [callId, dueAt ?? null]),
    answers: answers.map((answer) => [answer.callId, answer.settleNumber, answerOf(answer)]),
  };
}

function answerOf({ ok, payload }: UndeliveredAnswer): Answer | { kind: string } {
  const value = JSON.parse(payload);
  if (!ok && value.data.attempts === 0 && value.data.text === "" && value.data.status === "failed") {
    return { kind: "error", code: value.data.code };
  }
  if (!ok) return { kind: "child", childId: value.data.runId };
  if (typeof value === "string") return { kind: "child", childId: value };
  if (Array.isArray(value?.completed)) {
    const ids = (rows: { runId: string }[]): string[] => rows.map(({ runId }) => runId);
    return { kind: "any", completed: ids(value.completed), pending: value.pending, errors: ids(value.errors) };
  }
  return { kind: "text", payload };
}

export function expectedOf(model: Model, groupIds: readonly string[]): unknown {
  const children = [...model.children.values()];
  return {
    runs: [...model.runs.values()].map((run) => expectedRun(model, run)),
    children: children.map(({ childId, status, attempt }) => [childId, status, attempt]),
    groups: Object.fromEntries(
      groupIds.map((groupId) => {
        const own = children.filter((child) => child.groupId === groupId);
        return [groupId, { counts: countsOf(own), total: own.length }];
      }),
    ),
    queue: children.filter(({ status }) => status === "queued").map(({ childId }) => childId),
    ready: [...model.runs.values()].filter((run) => isReady(run)).map(({ runId }) => runId),
    staleSettlements: model.staleSettlements,
  };
}

function isReady(run: ModelRun): boolean {
  return run.state === "running" && (run.turn === 0 || run.undelivered.length > 0);
}

function expectedRun(model: Model, run: ModelRun): unknown {
  const pending = [...run.pending.values()].sort((left, right) => left.callId - right.callId);
  return {
    runId: run.runId,
    state: run.state,
    turn: run.turn,
    counts: countsOf(model.childrenOf(run.runId)),
    pending: pending.map(({ callId, dueAt }) => [callId, dueAt]),
    answers: run.undelivered.map(({ callId, settleNumber, answer }) => [callId, settleNumber, answer]),
  };
}

function countsOf(children: readonly { status: keyof ChildCounts }[]): ChildCounts {
  const counts = { ...NO_CHILDREN };
  for (const { status } of children) counts[status] += 1;
  return counts;
}
