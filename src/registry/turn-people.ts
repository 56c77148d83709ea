// The calls of a turn that wait for people and programs outside, and the one that gives such a wait up.
// Upholds L11 (what waits is a row), L10 (approvals of a run are bounded), G-009.

import type { Call } from "../contract/calls.ts";
import { type Fault, fault } from "../contract/fault.ts";
import { APPROVALS_PER_RUN_MAX } from "../contract/limits.ts";
import { settleCall } from "./answers.ts";
import { cancelApproval, insertApproval } from "./approvals.ts";
import { failureText } from "./inbox.ts";
import { returnEvent } from "./sent-events.ts";
import type { Store } from "./store.ts";
import { answerAtOnce, type CallPlaceRow, insertPending, type TurnState, waitUntil } from "./turn-state.ts";

/** Pending until somebody outside answers it, or its time-out if it has one. `payload` says what is waited for. */
export function waitForOutside(
  store: Store,
  state: TurnState,
  call: CallPlaceRow & { args: { timeoutMs: number | null } },
  payload: string | null,
): void {
  const { timeoutMs } = call.args;
  if (timeoutMs === null) insertPending(store, state, call, { payload });
  else waitUntil(store, state, call, state.commit.at + timeoutMs, payload);
}

/** An event that is kept is taken at once, the oldest first. A run that ends with this turn takes none. */
export function waitForEvent(store: Store, state: TurnState, call: Call & { method: "waitForEvent" }): void {
  const { name } = call.args;
  const kept = state.commit.outcome ? undefined : store.people.oldestEvent.get(state.run.n, name);
  if (!kept) {
    waitForOutside(store, state, call, JSON.stringify(name));
    return;
  }
  store.people.takeEvent.run(state.run.n, name, kept.number);
  answerAtOnce(store, state, call, { ok: true, source: "text", payload: kept.payload });
}

export function askPerson(store: Store, state: TurnState, call: Call & { method: "approve" }): void {
  if (state.commit.outcome) return;
  const asked = store.people.approvalCount.get(state.run.n) ?? 0;
  if (asked >= APPROVALS_PER_RUN_MAX) {
    const { message, code, next } = approvalLimit(asked);
    const payload = failureText("ApprovalError", `${message} ${next}`, { code });
    answerAtOnce(store, state, call, { ok: false, source: "text", payload });
    return;
  }
  insertApproval(store, state.run, call, state.commit.at);
  waitForOutside(store, state, call, null);
}

function approvalLimit(asked: number): Fault {
  return fault("approval_limit", `The run has asked for ${asked} approvals; more than that it may not.`);
}

/** The script has turned away from a wait: it is answered, so that it waits no longer, with what the script ignores. */
export function giveUpWait(store: Store, state: TurnState, call: Call & { method: "waitCancel" }): void {
  const { run, commit, wakes } = state;
  const { callId } = call.args;
  const waiting = commit.outcome ? undefined : store.calls.pending.get(run.runId, callId);
  if (waiting?.method !== "approve" && waiting?.method !== "waitForEvent") return;
  if (waiting.method === "approve") cancelApproval(store, run, callId, commit.at);
  settleCall(store, waiting, { ok: false, source: "text", payload: GIVEN_UP }, wakes);
}

const GIVEN_UP = failureText("AbortError", "The script has given this wait up.", {});

/** An event that reached a wait which the script had given up meanwhile. */
export function takeBackEvent(store: Store, state: TurnState, call: Call & { method: "eventReturn" }): void {
  if (!state.commit.outcome) returnEvent(store, state.run.n, call.args, state.commit.at, state.wakes);
}
