// The memory's part about people and programs outside: approvals that wait for a decision, events that were
// sent to a run. Upholds L3 (decided once), L11 (what waits is rows), S-014 (strangers see nothing).

import type { ApprovalRecord, ApprovalState, Decision } from "../contract/approvals.ts";
import type { JsonText } from "../contract/json.ts";
import type { Listing, Page, Viewer } from "./readers-port.ts";
import type { Settled, WriteHooks } from "./writes-port.ts";

export interface ApprovalFilter {
  state?: ApprovalState | undefined;
  runId?: string | undefined;
}

export interface ApprovalDecision {
  approvalId: string;
  /** Who decides; its session is kept with the approval. */
  viewer: Viewer;
  decision: Decision;
  comment: string | undefined;
  data: JsonText | undefined;
  at: number;
}

/** `applied` is false when the same caller had decided the same before: then nothing changed. */
export interface Decided extends Settled {
  approval: ApprovalRecord;
}

export interface SentEvent {
  runId: string;
  viewer: Viewer;
  name: string;
  payload: JsonText;
  at: number;
}

/** `applied` says whether a wait took it; if none did, it is kept until one comes. */
export interface EventKept extends Settled {
  /** Events of this name that are kept for the run now. */
  kept: number;
}

export interface People {
  /** Those that wait first, the oldest of them first; then the others, the latest asked first. */
  approvals(viewer: Viewer, filter: ApprovalFilter, page: Page): Promise<Listing<ApprovalRecord>>;
  approval(approvalId: string, viewer: Viewer): Promise<ApprovalRecord | undefined>;
  /** Decides once and answers the call. Rejects with `not_found`, and with `wrong_state` when it was decided otherwise or by another. */
  decideApproval(decision: ApprovalDecision, hooks?: WriteHooks<Decided>): Promise<Decided>;
  /** Answers the oldest wait for this name, or keeps the event. Rejects with `not_found`, `wrong_state` (ended), `event_inbox_full`. */
  sendEvent(event: SentEvent, hooks?: WriteHooks<EventKept>): Promise<EventKept>;
}
