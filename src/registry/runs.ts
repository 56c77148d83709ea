// A run outside its turns: created, ended by the host, counted when it resumes, released. Upholds L3
// (a final run stays final), R-002 (its first row is one transaction), S-016 (stop reaches descendants).

import { createHash } from "node:crypto";
import { type FaultData, fault } from "../contract/fault.ts";
import type { Wakes } from "./answers.ts";
import { cancelApprovals } from "./approvals.ts";
import { countGroup, ensureGroup, ensureSession } from "./belonging.ts";
import { giveBudget } from "./budgets.ts";
import { killChildren } from "./children.ts";
import { keepEnd } from "./history.ts";
import type { NewRun, RunOutcome, Stopped } from "./port.ts";
import { offerResults, runToReuse } from "./reuse.ts";
import type { RunHead } from "./sql-runs.ts";
import { appendEvent, type Place, type Store } from "./store.ts";

/** Number of the run, and whether this call made it. Throws `idempotency_conflict`; `not_found` for the run to reuse. */
export function createRun(store: Store, run: NewRun): { runN: number; created: boolean } {
  const sessionN = ensureSession(store, run.sessionKey, run.parentSessionKey);
  const scriptHash = hashOf(run.sourceText);
  const fingerprint = hashOf(`${run.language} ${scriptHash} ${run.args ?? ""}${run.reuseFrom ?? ""}`);
  if (run.idempotencyKey !== undefined) {
    const first = store.texts.keyed.get(sessionN, "run", run.idempotencyKey);
    if (first && first.fingerprint !== fingerprint) {
      throw fault("idempotency_conflict", "The idempotency key belongs to a run with another script or other args.");
    }
    if (first) return { runN: first.targetN, created: false };
  }
  const group = ensureGroup(store, { groupId: run.groupId, sessionN, budget: run.groupBudget }, run.at);
  const runN = Number(store.runs.insert.run(run.runId, sessionN, group.n, run.at).lastInsertRowid);
  const sourceN = keepText(store, scriptHash, run.sourceText);
  const codeN = keepText(store, hashOf(run.code), run.code);
  const { workflows } = run;
  const workflowsN = workflows === undefined ? null : keepText(store, hashOf(workflows), workflows);
  store.runs.insertInput.run(
    ...[runN, run.name, run.language, run.fileName, run.model, run.agentId ?? null],
    ...[scriptHash, sourceN, codeN, run.limits, run.args ?? null, workflowsN],
  );
  if (run.idempotencyKey !== undefined) {
    store.texts.insertKey.run(sessionN, "run", run.idempotencyKey, runN, fingerprint);
  }
  if (run.reuseFrom !== undefined) {
    const reuseN = runToReuse(store, run.reuseFrom);
    store.origins.insertRun.run(runN, null, null, reuseN);
    offerResults(store, runN, reuseN, 0);
  }
  giveBudget(store, { kind: "run", n: runN, createdAt: run.at }, run.budget);
  countGroup(store, group.n, { runs: 1 }, run.at);
  appendEvent(store, "run.created", { sessionN, groupN: group.n, runN }, run.at, {});
  return { runN, created: true };
}

/** Once per content; counts who uses it, so that archiving can let go of it. */
function keepText(store: Store, hash: string, body: string): number {
  const known = store.texts.sourceByHash.get(hash);
  return known ? known.n : Number(store.texts.insertSource.run(hash, body).lastInsertRowid);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Ends a run outside a turn. A quarantined run can still be ended. Throws `not_found`. */
export function endRun(store: Store, runId: string, outcome: RunOutcome, cancelChildren: boolean, at: number): Stopped {
  const run = knownRun(store, runId);
  const final = run.endedAt !== null && (run.state !== "quarantined" || outcome.state === "quarantined");
  if (final) return { applied: false, cancelled: [], wake: [] };
  endRunRow(store, run, outcome, at);
  const wakes: Wakes = new Set();
  const reason = outcome.state === "done" ? "Its run has ended" : `Its run has ended: ${outcome.error.message}`;
  const children = cancelChildren ? store.children.liveOfRun.all(run.n) : [];
  const cancelled = killChildren(store, children, reason, at, wakes);
  return { applied: true, cancelled, wake: [...wakes] };
}

/** Makes the row final and lets go of what only a living run needs. A quarantined one keeps it. */
export function endRunRow(store: Store, run: RunHead, outcome: RunOutcome, at: number): void {
  const error = outcome.state === "done" ? null : errorText(outcome.error);
  if (outcome.state === "quarantined") store.runs.quarantine.run(error, at, run.n);
  else {
    const kept = keepEnd(store, run);
    store.calls.dropWaitsOfRun.run(run.n);
    store.calls.dropCallsOfRun.run(run.n);
    store.timers.dropOfRun.run(run.n);
    store.origins.dropReusable.run(run.n);
    store.people.dropEventsOfRun.run(run.n);
    cancelApprovals(store, run, at);
    if (!kept) store.texts.dropSnapshots.run(run.snapshotN, -1);
    const result = outcome.state === "done" ? outcome.result : null;
    store.runs.finish.run(outcome.state, result, error, at, run.n);
    countGroup(store, run.groupN, { runs: -1 }, at);
  }
  appendEvent(store, "run.ended", placeOf(run), at, { detail: outcome.state, body: error });
}

function errorText(error: FaultData): string {
  return JSON.stringify(error);
}

export function placeOf(run: RunHead): Place {
  return { sessionN: run.sessionN, groupN: run.groupN, runN: run.n };
}

export function knownRun(store: Store, runId: string): RunHead {
  const run = store.runs.head.get(runId);
  if (!run) throw fault("not_found", `There is no run ${runId}.`);
  return run;
}

/** Written before a resume, so that a resume that takes the process down is counted. Throws `not_found`. */
export function countResume(store: Store, runId: string, at: number): number {
  const run = knownRun(store, runId);
  const counted = store.runs.countResume.get(run.n);
  appendEvent(store, "run.resumed", placeOf(run), at, { number: run.turn });
  return counted?.resumeCrashes ?? 0;
}

/** Throws `not_found`. */
export function forgiveResume(store: Store, runId: string): void {
  store.runs.forgiveResume.run(knownRun(store, runId).n);
}

/** False when the run is not quarantined. Throws `not_found`. */
export function releaseRun(store: Store, runId: string, at: number): boolean {
  const run = knownRun(store, runId);
  if (run.state !== "quarantined") return false;
  store.runs.release.run(run.n);
  appendEvent(store, "run.resumed", placeOf(run), at, { number: run.turn });
  return true;
}
