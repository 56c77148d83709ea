// The port's part about people and programs, over the same engine as the rest of it. Upholds L3, L9.

import { fault } from "../contract/fault.ts";
import { decideApproval } from "./approvals.ts";
import type { Decided, People } from "./people-port.ts";
import type { Engine } from "./registry.ts";
import { sendEvent } from "./sent-events.ts";
import { approvalRecord } from "./sql-people.ts";

export function peopleMethods({ store, writer, people, read, counters }: Engine): People {
  return {
    approvals: (viewer, filter, page) => read("listing approvals", () => people.approvals(viewer, filter, page)),
    approval: (approvalId, viewer) => read("reading an approval", () => people.approval(approvalId, viewer)),
    async decideApproval(decision, hooks) {
      const write = (): Decided => {
        const { n, ...settled } = decideApproval(store, decision);
        const row = store.people.approvalByNumber.get(n);
        if (!row) throw fault("internal", `Approval ${decision.approvalId} is not there.`);
        return { ...settled, approval: approvalRecord(row) };
      };
      const decided = await writer.write("deciding an approval", write, hooks);
      if (!decided.applied) counters.staleSettlements += 1;
      return decided;
    },
    sendEvent: (event, hooks) => writer.write("storing an event", () => sendEvent(store, event), hooks),
  };
}
