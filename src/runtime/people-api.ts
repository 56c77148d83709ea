// What a gateway process offers to people and programs that a run waits for (G-009, B-002). Only the run's
// session, its parent chain and the operator are heard; to anybody else there is nothing (S-014).

import type { ApprovalRecord, ApprovalRequest, ApprovalState, EventAnswer } from "../contract/approvals.ts";
import type { Json } from "../contract/json.ts";
import type { Caller, PageRequest } from "./caller.ts";

export interface ApprovalQuery {
  state?: ApprovalState | undefined;
  runId?: string | undefined;
}

export interface PeopleApi {
  /** Those that wait first, the oldest of them first; then the others, the latest asked first. */
  approvals(
    caller: Caller,
    query: ApprovalQuery,
    page: PageRequest,
  ): Promise<{ rows: ApprovalRecord[]; next: string | undefined }>;
  /** Rejects with `not_found`. */
  approval(caller: Caller, approvalId: string): Promise<ApprovalRecord>;
  /**
   * Decides once; the same decision again by the same caller gives the same record. Rejects with `not_found`, and
   * with `wrong_state` when it expired, was cancelled, or was decided otherwise or by another.
   */
  decide(caller: Caller, approvalId: string, request: ApprovalRequest): Promise<ApprovalRecord>;
  /** Rejects with `not_found`, `wrong_state` (ended), `event_inbox_full`, `bad_request` (name), `body_too_large`. */
  sendEvent(caller: Caller, runId: string, name: string, payload: Json): Promise<EventAnswer>;
}
