// Runs that wait for people and programs: parked, answered from outside, over restarts.

import { expect, test } from "vitest";
import { fault } from "../../src/contract/fault.ts";
import { APPROVAL_DATA_BYTES_MAX, EVENT_PAYLOAD_BYTES_MAX } from "../../src/contract/limits.ts";
import type { PendingCall } from "../../src/contract/records.ts";
import type { Caller } from "../../src/runtime/api.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";

const STRANGER: Caller = { sessionKey: "stranger", operator: false };

/** Resolves when the run has that many pending calls. */
async function parked(world: World, runId: string, count = 1): Promise<PendingCall[]> {
  for (;;) {
    const { pending } = await world.runtime.runDetail(OPERATOR, runId);
    if (pending.length === count) return pending;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function asked(world: World, script: string): Promise<{ runId: string; approvalId: string }> {
  const { runId } = await world.submit(script);
  const [call] = await parked(world, runId);
  if (call?.approvalId === undefined) throw fault("internal", "The script asked for no approval.");
  return { runId, approvalId: call.approvalId };
}

test("G-009 B-002 an approval waits with its source line, and the decision goes to the script", async () => {
  const world = await openWorld();
  const { runId, approvalId } = await asked(
    world,
    'const a = await approve("Deploy?", { to: "prod" });\nreturn [a.approved, a.by, a.comment, a.data];',
  );
  const { run, pending } = await world.runtime.runDetail(OPERATOR, runId);
  expect(run).toMatchObject({ state: "waiting", pendingApprovals: 1 });
  expect(pending).toMatchObject([
    { method: "approve", title: "Deploy?", line: 1, sourceLine: 'const a = await approve("Deploy?", { to: "prod" });' },
  ]);
  expect((await world.runtime.approvals(OPERATOR, {}, {})).rows).toMatchObject([
    { approvalId, runId, title: "Deploy?", details: { to: "prod" }, state: "pending" },
  ]);
  await world.runtime.decide(OPERATOR, approvalId, { decision: "approve", comment: "go", data: { ticket: 7 } });
  expect((await world.ended(runId)).result).toEqual([true, "operator", "go", { ticket: 7 }]);
});

test("G-009 a rejection is an answer, not an error", async () => {
  const world = await openWorld();
  const { runId, approvalId } = await asked(world, 'const a = await approve("Deploy?"); return [a.approved, a.state];');
  await world.runtime.decide(OPERATOR, approvalId, { decision: "reject" });
  expect((await world.ended(runId)).result).toEqual([false, "rejected"]);
});

test("R-004 B-002 after a restart an approval is answered as before it, and its remaining time-out goes on", async () => {
  const world = await openWorld();
  const script = `const [a, b] = await Promise.all([approve("A?", 1, { timeout: "2h" }), approve("B?", 1, { timeout: "2h" })]);
    return [a.state, b.state, b.decidedAt];`;
  const { runId } = await world.submit(script);
  const pending = await parked(world, runId, 2);
  const dueAt = world.clock.now() + 7_200_000;
  expect(pending.map((call) => call.dueAt)).toEqual([dueAt, dueAt]);
  world.clock.advance(3_600_000);
  await world.restart();
  await world.runtime.decide(OPERATOR, pending[0]?.approvalId ?? "", { decision: "approve" });
  await parked(world, runId, 1);
  world.clock.advance(3_600_000 - 1);
  expect((await world.runtime.approvals(OPERATOR, { state: "pending" }, {})).rows).toHaveLength(1);
  world.clock.advance(1);
  expect((await world.ended(runId)).result).toEqual(["approved", "expired", dueAt]);
});

test("G-009 an approval that expires with onTimeout error rejects with a name and a code", async () => {
  const world = await openWorld();
  const { runId, approvalId } = await asked(
    world,
    'try { await approve("A?", undefined, { timeoutMs: 50, onTimeout: "error" }); } catch (e) { return [e.name, e.code, e.approvalId]; }',
  );
  world.clock.advance(50);
  expect((await world.ended(runId)).result).toEqual(["TimeoutError", "approval_timeout", approvalId]);
  await expect(world.runtime.decide(OPERATOR, approvalId, { decision: "approve" })).rejects.toMatchObject({
    code: "wrong_state",
    details: { state: "expired" },
  });
});

test("an approval that was decided says who and when to anybody who decides otherwise", async () => {
  const world = await openWorld();
  const { runId, approvalId } = await asked(world, 'await approve("A?"); await sleep("1h");');
  const first = await world.runtime.decide(OPERATOR, approvalId, { decision: "approve" });
  expect(await world.runtime.decide(OPERATOR, approvalId, { decision: "approve" })).toEqual(first);
  await expect(world.runtime.decide(OPERATOR, approvalId, { decision: "reject" })).rejects.toMatchObject({
    code: "wrong_state",
    message: expect.stringContaining("approved by operator at 20"),
    details: { state: "approved", by: "operator", decidedAt: world.clock.now() },
  });
  await world.runtime.stop(OPERATOR, runId);
});

test("S-014 to a stranger there is neither the approval nor the run", async () => {
  const world = await openWorld();
  const { runId, approvalId } = await asked(world, 'return (await approve("A?")).approved;');
  const refused = { code: "not_found" };
  await expect(world.runtime.decide(STRANGER, approvalId, { decision: "approve" })).rejects.toMatchObject(refused);
  await expect(world.runtime.approval(STRANGER, approvalId)).rejects.toMatchObject(refused);
  await expect(world.runtime.sendEvent(STRANGER, runId, "e", 1)).rejects.toMatchObject(refused);
  await expect(world.runtime.sendEvent(OPERATOR, "run_none", "e", 1)).rejects.toMatchObject(refused);
  expect((await world.runtime.approvals(STRANGER, {}, {})).rows).toEqual([]);
  await world.runtime.stop(OPERATOR, runId);
});

test("S-016 stopping a run cancels its approvals, and its events are refused from then on", async () => {
  const world = await openWorld();
  const { runId, approvalId } = await asked(world, 'await approve("A?", undefined, { timeout: "1h" });');
  await world.runtime.stop(OPERATOR, runId);
  expect((await world.runtime.approval(OPERATOR, approvalId)).state).toBe("cancelled");
  const refused = { code: "wrong_state" };
  await expect(world.runtime.decide(OPERATOR, approvalId, { decision: "approve" })).rejects.toMatchObject(refused);
  await expect(world.runtime.sendEvent(OPERATOR, runId, "e", 1)).rejects.toMatchObject({
    ...refused,
    details: { state: "killed" },
  });
  expect((await world.runtime.run(OPERATOR, runId)).pendingApprovals).toBeUndefined();
});

test("G-009 R-004 events wake their waits in order, and those that came early are kept over a restart", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(
    `const both = await Promise.all([waitForEvent("built"), waitForEvent("built")]);
     await waitForEvent("go");
     return [both, await waitForEvent("built"), await waitForEvent("built")];`,
  );
  expect(await parked(world, runId, 2)).toMatchObject([{ event: "built" }, { event: "built" }]);
  expect(await world.runtime.sendEvent(OPERATOR, runId, "built", { n: 1 })).toMatchObject({ delivered: true, kept: 0 });
  await world.restart();
  await world.runtime.sendEvent(OPERATOR, runId, "built", { n: 2 });
  const [go] = await parked(world, runId);
  expect(go).toMatchObject({ method: "waitForEvent", event: "go" });
  await world.runtime.sendEvent(OPERATOR, runId, "built", 3);
  expect(await world.runtime.sendEvent(OPERATOR, runId, "built", null)).toMatchObject({ delivered: false, kept: 2 });
  await world.restart();
  await world.runtime.sendEvent(OPERATOR, runId, "go", "now");
  expect((await world.ended(runId)).result).toEqual([[{ n: 1 }, { n: 2 }], 3, null]);
});

test("G-009 R-004 a wait for an event expires with the time that a restart has left it", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(
    'try { await waitForEvent("built", { timeout: "1h" }); } catch (e) { return [e.name, e.code, e.event]; }',
  );
  await parked(world, runId);
  world.clock.advance(1_800_000);
  await world.restart();
  world.clock.advance(1_800_000 - 1);
  expect((await world.runtime.run(OPERATOR, runId)).state).toBe("waiting");
  world.clock.advance(1);
  expect((await world.ended(runId)).result).toEqual(["TimeoutError", "event_timeout", "built"]);
});

test("G-009 a run can take any number of events, one after the other", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(
    `let sum = 0;
     for (let n = await waitForEvent("add"); n !== "end"; n = await waitForEvent("add")) sum += n;
     return sum;`,
  );
  for (let n = 1; n <= 50; n += 1) await world.runtime.sendEvent(OPERATOR, runId, "add", n);
  await world.runtime.sendEvent(OPERATOR, runId, "add", "end");
  expect((await world.ended(runId)).result).toBe(1275);
});

test("G-007 G-009 a race between an event and a time of the script's own loses no event", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(
    `const c = new AbortController();
     const first = await Promise.race([waitForEvent("e", { signal: c.signal }), sleep(100).then(() => "tired")]);
     c.abort();
     return [first, await waitForEvent("e")];`,
  );
  await parked(world, runId, 2);
  world.clock.advance(100);
  await parked(world, runId, 1);
  await world.runtime.sendEvent(OPERATOR, runId, "e", "kept");
  expect((await world.ended(runId)).result).toEqual(["tired", "kept"]);
});

test("L10 I-005 what is too large, and a name that is none, is refused with what to do", async () => {
  const world = await openWorld();
  const { runId, approvalId } = await asked(world, 'await approve("A?");');
  const data = "x".repeat(APPROVAL_DATA_BYTES_MAX - 1);
  await expect(world.runtime.decide(OPERATOR, approvalId, { decision: "approve", data })).rejects.toMatchObject({
    code: "body_too_large",
    details: { limitBytes: APPROVAL_DATA_BYTES_MAX },
  });
  const payload = "x".repeat(EVENT_PAYLOAD_BYTES_MAX - 1);
  await expect(world.runtime.sendEvent(OPERATOR, runId, "e", payload)).rejects.toMatchObject({
    code: "body_too_large",
    details: { bytes: EVENT_PAYLOAD_BYTES_MAX + 1, limitBytes: EVENT_PAYLOAD_BYTES_MAX },
  });
  for (const name of ["", "a b", "../x", "-a", "x".repeat(101), "ä"]) {
    await expect(world.runtime.sendEvent(OPERATOR, runId, name, 1)).rejects.toMatchObject({ code: "bad_request" });
  }
  expect(await world.runtime.sendEvent(OPERATOR, runId, "e", payload.slice(1))).toMatchObject({ kept: 1 });
  await world.runtime.stop(OPERATOR, runId);
});

test("G-015 L11 a run that waits for a person is no deadlock and holds no VM, lane or turn", async () => {
  const world = await openWorld();
  const { runId } = await asked(world, 'await approve("A?");');
  world.clock.advance(10 * 24 * 3_600_000);
  expect(await world.runtime.run(OPERATOR, runId)).toMatchObject({ state: "waiting", pendingApprovals: 1 });
  expect(world.runtime.health()).toMatchObject({ activeRuns: 0, lanes: { running: 0, queued: 0 } });
  await world.restart();
  expect(world.runtime.health().vm).toMatchObject({ hot: 0, restores: 0 });
  await world.runtime.stop(OPERATOR, runId);
});
