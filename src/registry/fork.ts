// a new run whose first state is a kept turn of another one. Everything that the fork needs is copied in
// one transaction (L1), so that from then on neither run can tell what the other does, or whether it is there.

import { createHash } from "node:crypto";
import { fault } from "../contract/fault.ts";
import type { SwarmSettings } from "../contract/settings.ts";
import { countGroup, ensureGroup } from "./belonging.ts";
import { giveBudget, limitsIn } from "./budgets.ts";
import { forkCalls } from "./fork-calls.ts";
import { countOf, type ForkPlace, forkChild, type SetAnswer, type Twin } from "./fork-children.ts";
import { knownPoint, pendingAt } from "./history.ts";
import type { NewFork } from "./history-port.ts";
import { offerResults, runToReuse } from "./reuse.ts";
import { knownRun } from "./runs.ts";
import type { ForkedChildRow } from "./sql-forks.ts";
import type { PastCallRow, PointRow } from "./sql-history.ts";
import type { RunHead } from "./sql-runs.ts";
import { appendEvent, type Store } from "./store.ts";

export interface ForkedRun {
  runN: number;
  created: boolean;
  earliestDueAt: number | null;
}

/** Calls that an error message names. */
const CALLS_NAMED_MAX = 20;

/** Throws `not_found`, `turn_not_kept`, `call_not_pending`, `answer_type`, `idempotency_conflict`. */
export function forkRun(store: Store, fork: NewFork): ForkedRun {
  const source = knownRun(store, fork.sourceRunId);
  const fingerprint = fingerprintOf(fork);
  if (fork.idempotencyKey !== undefined) {
    const first = store.texts.keyed.get(source.sessionN, "run", fork.idempotencyKey);
    if (first && first.fingerprint !== fingerprint) {
      throw fault("idempotency_conflict", "The idempotency key belongs to another run or another fork.");
    }
    if (first) return { runN: first.targetN, created: false, earliestDueAt: null };
  }
  const point = knownPoint(store, source, fork.snapshot.turn);
  const calls = pendingAt(store, source.n, point);
  const children = store.forks.children.all(source.n, point.lastCall);
  const answers = answersOf(fork, calls, children);
  const place = insertRun(store, source, point, fork);
  if (fork.idempotencyKey !== undefined) {
    store.texts.insertKey.run(source.sessionN, "run", fork.idempotencyKey, place.runN, fingerprint);
  }
  const twins = forkChildren(store, place, children, calls, answers);
  begin(store, place, point, fork, calls.length, [...twins.byN.values()]);
  const earliestDueAt = forkCalls(store, place, calls, twins, answers);
  if (fork.keepHistoryTurns > 0) store.history.insert.run(fork.at, point.lastCall, place.runN);
  return { runN: place.runN, created: true, earliestDueAt };
}

function fingerprintOf({ sourceRunId, snapshot, answers }: NewFork): string {
  return createHash("sha256")
    .update(JSON.stringify(["fork", sourceRunId, snapshot.turn, answers]))
    .digest("hex");
}

/** The answers that the fork sets, by their calls: each must have been pending then, and fit what was asked. */
function answersOf(fork: NewFork, calls: readonly PastCallRow[], children: readonly ForkedChildRow[]) {
  const byCall = new Map(calls.map((call) => [call.callId, call]));
  const childOf = new Map(children.map((child) => [child.n, child]));
  const where = `after turn ${fork.snapshot.turn} of run ${fork.sourceRunId}`;
  for (const { callId, value } of fork.answers) {
    const call = byCall.get(callId);
    if (!call) {
      const pending = calls.slice(0, CALLS_NAMED_MAX).map((each) => each.callId);
      const more = calls.length > pending.length ? ", …" : "";
      throw fault(
        "call_not_pending",
        `Call ${callId} was not pending ${where}; pending were ${pending.join(", ")}${more}.`,
        {
          details: { callId, pending },
        },
      );
    }
    const child = call.childN === null ? undefined : childOf.get(call.childN);
    if (child?.wantsValue === 0 && typeof JSON.parse(value) !== "string") {
      throw fault(
        "answer_type",
        `Call ${callId} waits for an agent without a schema: its answer must be a JSON string.`,
        {
          details: { callId },
        },
      );
    }
  }
  return new Map(fork.answers.map((answer): [number, SetAnswer] => [answer.callId, answer]));
}

function insertRun(store: Store, source: RunHead, point: PointRow, fork: NewFork): ForkPlace {
  const { sessionN } = source;
  const { swarm } = JSON.parse(fork.limits) as { swarm?: Partial<SwarmSettings> };
  const group = ensureGroup(store, { groupId: fork.groupId, sessionN, budget: swarm?.budget?.group }, fork.at);
  const runN = Number(store.runs.insert.run(fork.runId, sessionN, group.n, fork.at).lastInsertRowid);
  store.forks.copyInput.run(runN, fork.name, fork.limits, source.n);
  for (const kept of ["source_n", "code_n", "workflows_n"] as const) store.forks.useText[kept].run(runN);
  const reuseN = fork.reuseFrom === undefined ? null : runToReuse(store, fork.reuseFrom);
  store.origins.insertRun.run(runN, source.n, fork.snapshot.turn, reuseN);
  // What the source was answered until here is copied; only what it asked later is left to be taken.
  if (reuseN !== null) offerResults(store, runN, reuseN, reuseN === source.n ? point.lastCall : 0);
  giveBudget(store, { kind: "run", n: runN, createdAt: fork.at }, limitsIn(source.budget));
  countGroup(store, group.n, { runs: 1 }, fork.at);
  const place = { sessionN, groupN: group.n, runN, runId: fork.runId, sourceN: source.n, at: fork.at };
  appendEvent(store, "run.created", place, fork.at, {});
  return place;
}

function forkChildren(
  store: Store,
  place: ForkPlace,
  children: readonly ForkedChildRow[],
  calls: readonly PastCallRow[],
  answers: ReadonlyMap<number, SetAnswer>,
) {
  const waits = new Map(calls.flatMap((call) => (call.childN === null ? [] : [[call.childN, call] as const])));
  const byN = new Map<number, Twin>();
  const byId = new Map<string, Twin>();
  for (const child of children) {
    const wait = waits.get(child.n);
    const twin = forkChild(store, place, child, wait, wait && answers.get(wait.callId));
    byN.set(child.n, twin);
    byId.set(child.childId, twin);
    byId.set(child.knownAs, twin);
  }
  return { byN, byId };
}

function begin(
  store: Store,
  place: ForkPlace,
  point: PointRow,
  fork: NewFork,
  pendingCalls: number,
  twins: readonly Twin[],
): void {
  const { turn, imageHash, bytes } = fork.snapshot;
  const snapshotN = store.texts.insertSnapshot.run(place.runN, turn, null, null, imageHash, bytes).lastInsertRowid;
  const counts = countOf(twins.map((twin) => twin.status));
  store.forks.begin.run(turn, Number(snapshotN), point.phase, pendingCalls, ...counts, place.runN);
}
