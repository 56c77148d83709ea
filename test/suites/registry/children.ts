// Contract: a child's life.

import { expect, test } from "vitest";
import type { ChildForRun, Settled } from "../../../src/registry/port.ts";
import { AT, codeOf, detached, detachedIdOf, ended, type OpenStore, OWNER, runIdOf, startRun } from "./builders.ts";

export function childrenChapter(open: OpenStore): void {
  test("S-012 a child's record says all that was asked and how it ended", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const options = { label: "reader", phase: "read", agentId: "writer", schema: { type: "object" } };
    const { childId } = run.ask({ prompt: "read it", options });
    await run.commit();
    const usage = { inputTokens: 10, outputTokens: 20 };
    await registry.completeChild(ended(childId, { structured: { a: 1 }, usage, costUsd: 0.25, at: AT + 9 }));
    expect(await registry.childrenById([childId], OWNER)).toEqual([
      {
        runId: childId,
        status: "done",
        result: "the answer",
        structured: { a: 1 },
        sessionKey: "owner",
        label: "reader",
        phase: "read",
        model: "offline:echo",
        agentId: "writer",
        prompt: "read it",
        usage,
        costUsd: 0.25,
        attempts: 1,
        groupId: `swarm:owner:${run.runId}`,
        parentRunId: run.runId,
        callId: 1,
        createdAt: AT,
        startedAt: AT,
        endedAt: AT + 9,
      },
    ]);
  });

  test("a long prompt and its options come back whole", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const prompt = "ä".repeat(200_000);
    const { childId } = run.ask({ prompt, options: { tools: ["a", "b"] } });
    await run.commit();
    const stored = await registry.childForRun(childId);
    expect(stored?.record.prompt).toBe(prompt);
    expect(stored?.options).toEqual({ tools: ["a", "b"] });
  });

  test("S-007 R-004 queued children are listed in the order of their spawns, page by page", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const asked = [1, 2, 3, 4].map(() => run.ask({ admitted: false }).childId);
    await run.commit();
    const first = await registry.queuedChildren(0, 3);
    expect(first.map(({ record }) => record.runId)).toEqual(asked.slice(0, 3));
    const rest = await registry.queuedChildren(first.at(-1)?.ticket ?? 0, 3);
    expect(rest.map(({ record }) => record.runId)).toEqual(asked.slice(3));
  });

  test("a claim starts those that are still queued and counts their attempt", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [queued, running] = [run.ask({ admitted: false }).childId, run.ask().childId];
    await run.commit();
    const applied: number[] = [];
    const onApplied = (value: ChildForRun[]): void => void applied.push(value.length);
    const claimed = await registry.claimChildren([queued, running, "agt_none"], AT + 3, { onApplied });
    expect(claimed.map(({ record }) => [record.runId, record.status, record.attempts, record.startedAt])).toEqual([
      [queued, "running", 1, AT + 3],
    ]);
    expect(applied).toEqual([1]);
    expect(await registry.claimChildren([queued], AT)).toEqual([]);
    expect(await registry.childCounts(run.runId)).toMatchObject({ queued: 0, running: 2 });
  });

  test("S-007 R-004 a child that is queued again keeps its old place and its first start", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [first, second] = [run.ask().childId, run.ask({ admitted: false }).childId];
    await run.commit();
    expect(await registry.requeueChild(first, 1, "provider was busy", AT)).toBe(true);
    const queue = await registry.queuedChildren(0, 10);
    expect(queue.map(({ record }) => record.runId)).toEqual([first, second]);
    expect(queue[0]?.record).toMatchObject({ status: "queued", attempts: 1, error: "provider was busy" });
    const [claimed] = await registry.claimChildren([first], AT + 50);
    expect(claimed?.record).toMatchObject({ attempts: 2, startedAt: AT });
  });

  test("a child is not queued again by an attempt that is not its own", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit();
    expect(await registry.requeueChild(childId, 2, "x", AT)).toBe(false);
    await registry.requeueChild(childId, 1, "x", AT);
    expect(await registry.requeueChild(childId, 1, "x", AT)).toBe(false);
    expect(await registry.requeueChild("agt_none", 1, "x", AT)).toBe(false);
  });

  test("a child is completed once; a repeated, stale or foreign completion changes nothing and is counted", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit();
    await registry.requeueChild(childId, 1, "again", AT);
    await registry.claimChildren([childId], AT);
    const nothing: Settled = { applied: false, runIds: [] };
    expect(await registry.completeChild(ended(childId, { attempt: 1 }))).toEqual(nothing);
    expect(await registry.completeChild(ended(childId, { attempt: 2 }))).toEqual({
      applied: true,
      runIds: [run.runId],
    });
    expect(await registry.completeChild(ended(childId, { attempt: 2, text: "other" }))).toEqual(nothing);
    expect(await registry.completeChild(ended("agt_none"))).toEqual(nothing);
    expect(registry.counters().staleSettlements).toBe(3);
    expect(await run.answers()).toHaveLength(1);
    expect((await registry.childForRun(childId))?.record.result).toBe("the answer");
  });

  test("a completion of a child that waits in the queue is stale, unless its time is over", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask({ admitted: false });
    await run.commit();
    expect((await registry.completeChild(ended(childId, { attempt: 0 }))).applied).toBe(false);
    expect((await registry.completeChild(ended(childId, { attempt: 0, status: "failed" }))).applied).toBe(false);
    expect((await registry.completeChild(ended(childId, { attempt: 0, status: "timeout" }))).applied).toBe(true);
    const record = (await registry.childForRun(childId))?.record;
    expect(record).toMatchObject({ status: "timeout", attempts: 0 });
    expect(record?.startedAt).toBeUndefined();
  });

  test("S-015 whoever waits is told when the completion is applied, and again when it is durable", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit();
    const seen: string[] = [];
    const onApplied = (value: Settled): void => void seen.push(`applied ${value.runIds.length}`);
    const settled = registry.completeChild(ended(childId), { onApplied }).then(() => seen.push("durable"));
    expect(seen).toEqual(["applied 1"]);
    expect(await run.answers()).toHaveLength(1);
    await settled;
    expect(seen).toEqual(["applied 1", "durable"]);
  });

  test("S-016 a cancelled child is killed once, and one that is not there is a fault", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit();
    expect(await registry.cancelChild(childId, "enough", AT)).toEqual({
      applied: true,
      cancelled: [childId],
      wake: [run.runId],
    });
    expect(await registry.cancelChild(childId, "again", AT)).toEqual({ applied: false, cancelled: [], wake: [] });
    expect((await registry.completeChild(ended(childId))).applied).toBe(false);
    expect(await codeOf(registry.cancelChild("agt_none", "x", AT))).toBe("not_found");
  });

  test("R-004 steps come back in their order, from the running attempt only", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit();
    await registry.recordStep(childId, 1, '{"n":1}', AT);
    await registry.requeueChild(childId, 1, "again", AT);
    expect(await codeOf(registry.recordStep(childId, 1, '{"late":1}', AT))).toBe("stale_epoch");
    await registry.claimChildren([childId], AT);
    await registry.recordStep(childId, 2, '{"n":2}', AT);
    expect(await codeOf(registry.recordStep(childId, 1, '{"late":2}', AT))).toBe("stale_epoch");
    expect(await codeOf(registry.recordStep("agt_none", 1, "{}", AT))).toBe("not_found");
    expect(await registry.steps(childId)).toEqual(['{"n":1}', '{"n":2}']);
    expect(await registry.steps("agt_none")).toEqual([]);
  });

  test("G-005 a session's history is what was asked and answered, failures left out", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const session = { id: "ses_1", system: "be brief" };
    const send = async (prompt: string, over: object): Promise<void> => {
      const { childId } = run.ask({ prompt, options: { session } });
      await run.commit();
      await registry.completeChild(ended(childId, over));
    };
    await send("one", { text: "1" });
    await send("lost", { status: "failed", text: "x" });
    await send("two", { text: "2" });
    expect(await registry.sessionHistory("ses_1")).toEqual([
      { role: "user", text: "one" },
      { role: "assistant", text: "1" },
      { role: "user", text: "two" },
      { role: "assistant", text: "2" },
    ]);
    expect(await registry.sessionHistory("ses_2")).toEqual([]);
  });

  test("S-001 a child without a run is stored with its group and session", async () => {
    const { registry } = await open();
    const childId = detachedIdOf(1);
    const { child, created } = await registry.spawnDetached(detached(childId, { options: { label: "scout" } }));
    expect(created).toBe(true);
    expect(child.record).toMatchObject({ runId: childId, status: "queued", label: "scout", parentRunId: null });
    expect(await registry.group("detached", OWNER)).toMatchObject({ total: 1, counts: { queued: 1 } });
  });

  test("S-001 a detached child's idempotency key gives the first child again, to its session only", async () => {
    const { registry } = await open();
    const spawn = (number: number, sessionKey: string) =>
      registry.spawnDetached({ ...detached(detachedIdOf(number), { sessionKey }), idempotencyKey: "k" });
    await spawn(1, "owner");
    const again = await spawn(2, "owner");
    expect([again.created, again.child.record.runId]).toEqual([false, detachedIdOf(1)]);
    expect((await spawn(3, "stranger")).created).toBe(true);
    expect(await registry.childForRun(detachedIdOf(2))).toBeUndefined();
  });

  test("S-008 a detached spawn above a limit is a fault that names the key and stores nothing", async () => {
    const { registry } = await open();
    const groupLimits = { maxChildrenPerGroup: 1, maxTotalPerGroup: 1 };
    await registry.spawnDetached({ ...detached(detachedIdOf(1)), groupLimits });
    const second = detached(detachedIdOf(2));
    const lifetime = registry.spawnDetached({ ...second, groupLimits });
    await expect(lifetime).rejects.toMatchObject({
      code: "group_total_limit",
      details: { key: "tools.swarm.maxTotalPerGroup", limit: 1, got: 1 },
    });
    const live = registry.spawnDetached({ ...second, groupLimits: { maxChildrenPerGroup: 1, maxTotalPerGroup: 9 } });
    await expect(live).rejects.toMatchObject({ code: "child_limit", details: { got: 1 } });
    expect(await registry.childForRun(detachedIdOf(2))).toBeUndefined();
    expect((await registry.group("detached", OWNER))?.total).toBe(1);
  });

  test("a child that a run or a child spawned outside a turn belongs to it", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const first = await registry.spawnDetached({ ...detached(detachedIdOf(1)), parentRunId: run.runId });
    const second = await registry.spawnDetached({ ...detached(detachedIdOf(2)), parentRunId: detachedIdOf(1) });
    expect(first.child.record.parentRunId).toBe(run.runId);
    expect(second.child.record.parentRunId).toBe(detachedIdOf(1));
    expect(await registry.childCounts(run.runId)).toMatchObject({ queued: 1 });
    const orphan = registry.spawnDetached({ ...detached(detachedIdOf(3)), parentRunId: runIdOf(9) });
    expect(await codeOf(orphan)).toBe("not_found");
  });

  test("S-016 stopping a run reaches the children of its children", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit();
    await registry.completeChild(ended(childId));
    await registry.spawnDetached({ ...detached(detachedIdOf(1)), parentRunId: childId });
    await registry.spawnDetached({ ...detached(detachedIdOf(2)), parentRunId: detachedIdOf(1) });
    const error = { code: "run_stopped", message: "stopped", next: "" } as const;
    const stopped = await registry.endRun(run.runId, { state: "killed", error }, true, AT);
    expect(stopped.cancelled).toEqual([detachedIdOf(1), detachedIdOf(2)]);
  });
}
