// An approval's life: asked for, then decided, expired or cancelled, once (L3). What answers the call stands
// in the same transaction. Upholds B-002 (it is a record), S-014 (a stranger gets not_found).

import type { Call } from "../contract/calls.ts";
import { type Fault, fault } from "../contract/fault.ts";
import { approvalIdOf, approvalPlaceOf } from "../contract/ids.ts";
import { type Settlement, settleCall, type Wakes } from "./answers.ts";
import { failureText } from "./inbox.ts";
import { viewerValues } from "./listing.ts";
import { lateAnswer } from "./outside.ts";
import type { ApprovalDecision } from "./people-port.ts";
import type { Settled } from "./port.ts";
import type { CallKey } from "./sql-children.ts";
import type { ApprovalRow } from "./sql-people.ts";
import { appendEvent, type Place, type Store } from "./store.ts";

/** Of a run, as its callers hold it. */
interface RunPlace {
  n: number;
  sessionN: number;
  groupN: number;
}

export function insertApproval(store: Store, run: RunPlace, call: Call & { method: "approve" }, at: number): void {
  const { title, details, timeoutMs, onTimeout } = call.args;
  const dueAt = timeoutMs === null ? null : Math.ceil(at + timeoutMs);
  const { lastInsertRowid } = store.people.insertApproval.run(
    ...[run.n, call.callId, onTimeout === "error" ? 1 : 0, at, dueAt],
    ...[title, details === undefined ? null : JSON.stringify(details)],
  );
  const place = { sessionN: run.sessionN, groupN: run.groupN, runN: run.n };
  appendEvent(store, "approval.requested", place, at, { number: Number(lastInsertRowid) });
}

/** How an approval ended, and by whom. */
interface Ending {
  state: "approved" | "rejected" | "expired" | "cancelled";
  at: number;
  by?: string;
  comment?: string | undefined;
  data?: string | undefined;
}

function endApproval(store: Store, approval: ApprovalRow, ending: Ending): void {
  store.people.decide.run(
    ...[ending.state, ending.at, ending.by ?? null, ending.comment ?? null, ending.data ?? null, approval.n],
  );
  const place: Place = { sessionN: approval.sessionN, groupN: approval.groupN, runN: approval.runN };
  appendEvent(store, "approval.decided", place, ending.at, { number: approval.n });
}

/** Throws `not_found`, `wrong_state`. Gives the approval's number as well. */
export function decideApproval(store: Store, decision: ApprovalDecision): Settled & { n: number } {
  const { approvalId, viewer, comment, data, at } = decision;
  const place = approvalPlaceOf(approvalId);
  const approval = place && store.people.approvalSeen.get(place.runId, place.callId, ...viewerValues(viewer));
  if (!approval) {
    const named = JSON.stringify(approvalId.slice(0, 100));
    throw fault("not_found", `There is no approval with the id ${named} that you may see.`);
  }
  const state = decision.decision === "approve" ? "approved" : "rejected";
  const by = viewer.sessionKey;
  if (approval.state !== "pending") {
    // Sent again by the same caller, because the first answer was lost: it has what it wanted.
    if (approval.state === state && approval.decidedBy === by) return { applied: false, runIds: [], n: approval.n };
    throw decidedAlready(approval);
  }
  const ending: Ending = { state, at, by, comment, data };
  endApproval(store, approval, ending);
  const wakes: Wakes = new Set();
  const call = store.calls.pending.get(approval.runId, approval.callId);
  if (call) settleCall(store, call, answerOf(approval, ending), wakes);
  return { applied: true, runIds: [...wakes], n: approval.n };
}

function decidedAlready(approval: ApprovalRow): Fault {
  const when = new Date(approval.decidedAt ?? approval.createdAt).toISOString();
  const who = approval.decidedBy === null ? "" : ` by ${approval.decidedBy}`;
  const details: { [key: string]: string | number } = { state: approval.state };
  if (approval.decidedAt !== null) details.decidedAt = approval.decidedAt;
  if (approval.decidedBy !== null) details.by = approval.decidedBy;
  return fault("wrong_state", `The approval was ${approval.state}${who} at ${when}.`, {
    details,
    next: "Nothing more can be decided about it; `quickswarm approvals` lists those that wait.",
  });
}

/** What the script gets. */
function answerOf(approval: ApprovalRow, { state, at, by, comment, data }: Ending): Settlement {
  const facts = JSON.stringify({
    approvalId: approvalIdOf(approval.runId, approval.callId),
    approved: state === "approved",
    state,
    by,
    comment,
    decidedAt: at,
  });
  const payload = data === undefined ? facts : `${facts.slice(0, -1)},"data":${data}}`;
  return { ok: true, source: "text", payload };
}

/** Its time-out has passed. */
export function expireApproval(store: Store, call: CallKey, at: number, wakes: Wakes): void {
  const approval = store.people.approvalOfCall.get(call.runN, call.callId);
  if (!approval) {
    settleCall(store, call, { ok: false, source: "text", payload: lateAnswer("approve", null) }, wakes);
    return;
  }
  const ending: Ending = { state: "expired", at };
  endApproval(store, approval, ending);
  const answer = approval.failsLate === 1 ? lateFailure(approval) : answerOf(approval, ending);
  settleCall(store, call, answer, wakes);
}

function lateFailure(approval: ApprovalRow): Settlement {
  const message = `Nobody answered the approval ${JSON.stringify(approval.title)} in time.`;
  const approvalId = approvalIdOf(approval.runId, approval.callId);
  return {
    ok: false,
    source: "text",
    payload: failureText("TimeoutError", message, { code: "approval_timeout", approvalId }),
  };
}

/** Its script has given it up. */
export function cancelApproval(store: Store, run: RunPlace, callId: number, at: number): void {
  const approval = store.people.approvalOfCall.get(run.n, callId);
  if (approval?.state === "pending") endApproval(store, approval, { state: "cancelled", at });
}

/** Its run has ended. */
export function cancelApprovals(store: Store, run: RunPlace, at: number): void {
  for (const approval of store.people.pendingOfRun.all(run.n)) {
    endApproval(store, approval, { state: "cancelled", at });
  }
}
