// The part of the in-memory Runtime that is about people: approvals that a test puts there, decided once, and
// events that are only remembered.

import type { ApprovalRecord, ApprovalRequest, EventAnswer } from "../../src/contract/approvals.ts";
import { fault } from "../../src/contract/fault.ts";
import type { Json } from "../../src/contract/json.ts";
import type { Caller, PageRequest } from "../../src/runtime/api.ts";
import type { ApprovalQuery, PeopleApi } from "../../src/runtime/people-api.ts";
import { NoHistory } from "./memory-history.ts";
import { type Listing, pageOf, visible } from "./memory-rows.ts";

export abstract class MemoryPeople extends NoHistory implements PeopleApi {
  readonly approvalRows = new Map<string, ApprovalRecord>();
  readonly sentEvents: { runId: string; name: string; payload: Json }[] = [];

  async approvals(caller: Caller, query: ApprovalQuery, page: PageRequest): Promise<Listing<ApprovalRecord>> {
    const rows = [...this.approvalRows.values()].filter(
      (row) => (query.state ?? row.state) === row.state && (query.runId ?? row.runId) === row.runId,
    );
    return pageOf(caller, rows, page, (row) => row.approvalId);
  }

  async approval(caller: Caller, approvalId: string): Promise<ApprovalRecord> {
    return visible(caller, this.approvalRows.get(approvalId));
  }

  async decide(caller: Caller, approvalId: string, request: ApprovalRequest): Promise<ApprovalRecord> {
    const row = visible(caller, this.approvalRows.get(approvalId));
    if (row.state !== "pending") throw fault("wrong_state", `The approval was ${row.state}.`);
    row.state = request.decision === "approve" ? "approved" : "rejected";
    row.by = caller.sessionKey;
    return row;
  }

  async sendEvent(caller: Caller, runId: string, name: string, payload: Json): Promise<EventAnswer> {
    await this.run(caller, runId);
    this.sentEvents.push({ runId, name, payload });
    return { runId, name, delivered: false, kept: this.sentEvents.length };
  }
}
