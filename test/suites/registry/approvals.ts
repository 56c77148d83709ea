// Contract: an approval is a record that waits, is decided once, and answers its call in the same write.

import { expect, test } from "vitest";
import { fault, toFaultData } from "../../../src/contract/fault.ts";
import { APPROVALS_PER_RUN_MAX } from "../../../src/contract/limits.ts";
import type { ApprovalDecision } from "../../../src/registry/people-port.ts";
import {
  AT,
  codeOf,
  newRun,
  OPERATOR,
  type OpenStore,
  OWNER,
  PAGE,
  RunDriver,
  STRANGER,
  startRun,
} from "./builders.ts";

const STOPPED = { state: "killed", error: toFaultData(fault("run_stopped", "It was stopped.")) } as const;

function decision(approvalId: string, over: Partial<ApprovalDecision> = {}): ApprovalDecision {
  return {
    ...{ approvalId, viewer: OPERATOR, decision: "approve", comment: undefined, data: undefined, at: AT + 5 },
    ...over,
  };
}

export function approvalsChapter(open: OpenStore): void {
  test("G-009 B-002 an approval is a record with what was asked, and its call is pending with its line", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { callId, approvalId } = run.approve("Deploy?", { details: { to: ["prod"] }, timeoutMs: 1_000 });
    expect(await run.commit()).toMatchObject({ wake: false, pendingCalls: 1, earliestDueAt: AT + 1_000 });
    expect(await registry.approval(approvalId, OWNER)).toEqual({
      ...{ approvalId, runId: run.runId, runName: "script.js", sessionKey: "owner", callId, title: "Deploy?" },
      groupId: `swarm:owner:${run.runId}`,
      ...{ details: { to: ["prod"] }, state: "pending", createdAt: AT, dueAt: AT + 1_000 },
    });
    expect(await registry.pendingCalls(run.runId)).toMatchObject([
      { callId, method: "approve", approvalId, title: "Deploy?", line: 1, dueAt: AT + 1_000 },
    ]);
    expect((await registry.run(run.runId, OWNER))?.pendingApprovals).toBe(1);
  });

  test("G-009 L3 a decision answers the call with who, when, comment and data, and wakes the run", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [yes, no] = [run.approve("A?"), run.approve("B?")];
    await run.commit();
    const decided = await registry.decideApproval(decision(yes.approvalId, { comment: "fine", data: '{"n":1}' }));
    expect(decided).toMatchObject({ applied: true, runIds: [run.runId] });
    expect(decided.approval).toMatchObject({
      ...{ state: "approved", by: "operator", comment: "fine", data: { n: 1 }, decidedAt: AT + 5 },
    });
    await registry.decideApproval(decision(no.approvalId, { decision: "reject", viewer: OWNER }));
    const [first, second] = await run.answers();
    expect(JSON.parse(first?.payload ?? "")).toEqual({
      ...{ approvalId: yes.approvalId, approved: true, state: "approved", by: "operator", comment: "fine" },
      ...{ decidedAt: AT + 5, data: { n: 1 } },
    });
    expect(JSON.parse(second?.payload ?? "")).toEqual({
      ...{ approvalId: no.approvalId, approved: false, state: "rejected", by: "owner", decidedAt: AT + 5 },
    });
    expect((await registry.run(run.runId, OWNER))?.pendingApprovals).toBeUndefined();
  });

  test("an approval is decided once: the same again by the same caller changes nothing, anything else says who and when", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { approvalId } = run.approve("Deploy?");
    await run.commit();
    await registry.decideApproval(decision(approvalId, { comment: "first" }));
    const again = await registry.decideApproval(decision(approvalId, { comment: "second", at: AT + 9 }));
    expect(again).toMatchObject({ applied: false, runIds: [], approval: { comment: "first", decidedAt: AT + 5 } });
    const details = { state: "approved", by: "operator", decidedAt: AT + 5 };
    const refused = { code: "wrong_state", details };
    await expect(registry.decideApproval(decision(approvalId, { decision: "reject" }))).rejects.toMatchObject(refused);
    await expect(registry.decideApproval(decision(approvalId, { viewer: OWNER }))).rejects.toMatchObject(refused);
    expect(await run.answers()).toHaveLength(1);
  });

  test("S-014 a stranger sees no approval and decides none; the session's parent does", async () => {
    const { registry } = await open();
    await registry.createRun(newRun(1, { sessionKey: "inner", parentSessionKey: "outer" }));
    const run = new RunDriver(registry, newRun(1, { sessionKey: "inner" }));
    const { approvalId } = run.approve("Deploy?");
    await run.commit();
    expect(await registry.approval(approvalId, STRANGER)).toBeUndefined();
    expect((await registry.approvals(STRANGER, {}, PAGE)).rows).toEqual([]);
    for (const id of [approvalId, `apr_${"0".repeat(32)}_7`, "apr_x", "", approvalId.replace("apr_", "agt_")]) {
      expect(await codeOf(registry.decideApproval(decision(id, { viewer: STRANGER })))).toBe("not_found");
    }
    const outer = { sessionKey: "outer", all: false };
    expect((await registry.approvals(outer, {}, PAGE)).rows.map((row) => row.approvalId)).toEqual([approvalId]);
    expect((await registry.decideApproval(decision(approvalId, { viewer: outer }))).applied).toBe(true);
  });

  test("G-009 an approval that nobody answered in time expires: as not approved, or as an error when it says so", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const quiet = run.approve("A?", { timeoutMs: 1_000 });
    const loud = run.approve("B?", { timeoutMs: 1_000, onTimeout: "error" });
    await run.commit();
    expect((await registry.fireTimers(AT + 999, 10)).wake).toEqual([]);
    expect(await registry.fireTimers(AT + 1_001, 10)).toMatchObject({ wake: [run.runId], earliestDueAt: null });
    const [first, second] = await run.answers();
    expect(first).toMatchObject({ callId: quiet.callId, ok: true });
    expect(JSON.parse(first?.payload ?? "")).toEqual({
      ...{ approvalId: quiet.approvalId, approved: false, state: "expired", decidedAt: AT + 1_001 },
    });
    expect(second).toMatchObject({ callId: loud.callId, ok: false });
    expect(JSON.parse(second?.payload ?? "")).toEqual({
      name: "TimeoutError",
      message: 'Nobody answered the approval "B?" in time.',
      data: { code: "approval_timeout", approvalId: loud.approvalId },
    });
    await expect(registry.decideApproval(decision(quiet.approvalId))).rejects.toMatchObject({
      code: "wrong_state",
      details: { state: "expired", decidedAt: AT + 1_001 },
    });
  });

  test("R-004 B-002 a restart keeps the approval with the time that it has left, and it is answered then", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    const [answered, late] = [run.approve("A?", { timeoutMs: 5_000 }), run.approve("B?", { timeoutMs: 5_000 })];
    await run.commit();
    const registry = await store.restart();
    run.goOn(registry);
    expect(await registry.recover(AT + 2_000)).toMatchObject({ readyRuns: [], earliestDueAt: AT + 5_000 });
    expect((await registry.decideApproval(decision(answered.approvalId))).runIds).toEqual([run.runId]);
    await registry.fireTimers(AT + 5_000, 10);
    expect((await run.answers()).map(({ callId }) => callId)).toEqual([answered.callId, late.callId]);
    expect((await registry.approval(late.approvalId, OWNER))?.state).toBe("expired");
  });

  test("the end of a run cancels its approvals, from outside and by its own turn", async () => {
    const { registry } = await open();
    const [stopped, finished] = [await startRun(registry, 1), await startRun(registry, 2)];
    const asked = [stopped.approve("A?", { timeoutMs: 1_000 }), finished.approve("B?")];
    await stopped.commit();
    await finished.commit();
    await registry.endRun(stopped.runId, STOPPED, true, AT + 1);
    finished.approve("never stored");
    await finished.end();
    for (const { approvalId } of asked) {
      expect((await registry.approval(approvalId, OWNER))?.state).toBe("cancelled");
      expect(await codeOf(registry.decideApproval(decision(approvalId)))).toBe("wrong_state");
    }
    expect((await registry.approvals(OWNER, {}, PAGE)).rows).toHaveLength(2);
    expect((await registry.fireTimers(AT + 1_000, 10)).wake).toEqual([]);
  });

  test("a script that gives an approval up cancels it, and its call waits no longer", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { callId, approvalId } = run.approve("Deploy?", { timeoutMs: 1_000 });
    await run.commit();
    run.giveUp(callId);
    run.giveUp(99);
    expect(await run.commit()).toMatchObject({ wake: true, pendingCalls: 0 });
    expect((await registry.approval(approvalId, OWNER))?.state).toBe("cancelled");
    expect(await run.answers()).toMatchObject([{ callId, ok: false }]);
    expect((await registry.fireTimers(AT + 1_000, 10)).wake).toEqual([]);
  });

  test("what cannot be given up stays: a sleep and a wait for a child", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const calls = [run.sleep(1_000), run.ask().callId];
    await run.commit();
    for (const callId of calls) run.giveUp(callId);
    expect(await run.commit()).toMatchObject({ wake: false, pendingCalls: 2 });
  });

  test("approvals are listed with those that wait first, in pages, by state and by run", async () => {
    const { registry } = await open();
    const [one, two] = [await startRun(registry, 1), await startRun(registry, 2)];
    const a = one.approve("a").approvalId;
    const b = one.approve("b").approvalId;
    const c = one.approve("c").approvalId;
    await one.commit();
    const d = two.approve("d").approvalId;
    const e = two.approve("e").approvalId;
    await two.commit();
    await registry.decideApproval(decision(a));
    await registry.decideApproval(decision(d, { decision: "reject" }));
    const ids = async (filter: object, page = PAGE): Promise<string[]> =>
      (await registry.approvals(OWNER, filter, page)).rows.map((row) => row.approvalId);
    expect(await ids({})).toEqual([b, c, e, d, a]);
    expect(await ids({ state: "pending" })).toEqual([b, c, e]);
    expect(await ids({ state: "rejected" })).toEqual([d]);
    expect(await ids({ runId: one.runId })).toEqual([b, c, a]);
    for (const limit of [1, 2, 3, 4]) {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await registry.approvals(OWNER, {}, { limit, after });
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        seen.push(...page.rows.map((row) => row.approvalId));
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual([b, c, e, d, a]);
    }
    for (const after of ["x", "7", "p", "dx"]) {
      expect(await codeOf(registry.approvals(OWNER, {}, { limit: 1, after }))).toBe("bad_request");
    }
  });

  test("asking and deciding are events, and archiving the run lets go of approvals and events", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { approvalId } = run.approve("Deploy?", { timeoutMs: 1_000 });
    await run.commit();
    await registry.decideApproval(decision(approvalId, { decision: "reject", comment: "not now" }));
    const events = await registry.eventsAfter(0, { viewer: OWNER, runId: run.runId }, 10);
    expect(events.slice(1)).toMatchObject([
      { type: "approval.requested", approvalId, title: "Deploy?", dueAt: AT + 1_000, runId: run.runId },
      { type: "approval.decided", approvalId, title: "Deploy?", state: "rejected", by: "operator", comment: "not now" },
    ]);
    await run.consume({ outcome: { state: "done", result: "1" } });
    await registry.archiveGroups(AT + 10_000, AT + 10_000, 10);
    expect(await registry.approval(approvalId, OWNER)).toBeUndefined();
    expect(await registry.eventsAfter(0, { viewer: OWNER, runId: run.runId }, 10)).toEqual([]);
  });

  test("L10 a run may ask for so many approvals and no more; the next one is refused", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    for (let index = 0; index < APPROVALS_PER_RUN_MAX; index += 1) run.approve("again?");
    await run.commit();
    const { callId } = run.approve("once more?");
    await run.commit();
    const answers = await run.answers();
    expect(answers).toMatchObject([{ callId, ok: false }]);
    expect(JSON.parse(answers[0]?.payload ?? "")).toMatchObject({
      name: "ApprovalError",
      data: { code: "approval_limit" },
    });
  });
}
