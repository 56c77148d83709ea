// Contract: results of an earlier run answer the same calls of a new one.

import { expect, test } from "vitest";
import {
  AT,
  codeOf,
  ended,
  newRun,
  type OpenStore,
  OWNER,
  PAGE,
  type RunDriver,
  runIdOf,
  type Store,
  startRun,
} from "./builders.ts";

/** A run whose children ended with these texts, in this order; null is a failure. */
async function oldRun({ registry }: Store, asked: [prompt: string, text: string | null][]): Promise<RunDriver> {
  const run = await startRun(registry, 1);
  const children = asked.map(([prompt]) => run.ask({ prompt }).childId);
  await run.commit();
  for (const [index, [, text]] of asked.entries()) {
    const childId = children[index] ?? "";
    const usage = { inputTokens: 10, outputTokens: 5 };
    if (text === null) await registry.completeChild(ended(childId, { status: "failed", text: "", error: "no" }));
    else await registry.completeChild(ended(childId, { text, usage, costUsd: 0.5 }));
  }
  return run;
}

export function reuseChapter(open: OpenStore): void {
  test("D-009 L1 a call that was made before is done in the commit that spawns it, and names whose result it took", async () => {
    const store = await open();
    const old = await oldRun(store, [["a", "A"]]);
    const run = await startRun(store.registry, 2, { reuseFrom: old.runId });
    const { childId, callId } = run.ask({ prompt: "a" });
    const committed = await run.commit();
    expect(committed).toMatchObject({ spawned: [], wake: true, pendingCalls: 0 });
    const [record] = await store.registry.childrenById([childId], OWNER);
    expect(record).toMatchObject({ status: "done", result: "A", attempts: 0, endedAt: AT, costUsd: 0 });
    expect(record?.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    expect(record?.reusedFrom).toBe(`agt_${old.runId.slice(4)}_1`);
    expect(await run.answers()).toMatchObject([{ callId, ok: true, payload: '"A"', costUsd: 0 }]);
    const events = await store.registry.eventsAfter(0, { viewer: OWNER, runId: run.runId }, 100);
    expect(events.map(({ type }) => type)).toEqual(["run.created", "child.spawned", "child.ended"]);
    expect(events.at(-1)).toMatchObject({ childId, status: "done", reusedFrom: record?.reusedFrom });
    expect(await store.registry.run(run.runId, OWNER)).toMatchObject({
      reuse: old.runId,
      children: { queued: 0, running: 0, done: 1 },
    });
  });

  test("D-009 equal calls take the results one after the other, failed ones run again, and so does what is new", async () => {
    const store = await open();
    const old = await oldRun(store, [
      ["vote", "first"],
      ["vote", null],
      ["vote", "third"],
      ["gone", "G"],
    ]);
    const run = await startRun(store.registry, 2, { reuseFrom: old.runId });
    const asked = ["new", "vote", "vote", "vote"].map((prompt) => run.ask({ prompt }).childId);
    const committed = await run.commit();
    expect(committed.spawned).toEqual([asked[0], asked[3]]);
    const records = await store.registry.childrenById(asked, OWNER);
    expect(records.map(({ status, result }) => [status, result])).toEqual([
      ["running", ""],
      ["done", "first"],
      ["done", "third"],
      ["running", ""],
    ]);
  });

  test("D-009 label, phase, time-out and retries do not make another call; model, schema and tools do", async () => {
    const store = await open();
    const old = await startRun(store.registry, 1);
    const first = [old.ask({ prompt: "p" }), old.ask({ prompt: "p" }), old.ask({ prompt: "p" }), old.ask()];
    await old.commit();
    for (const { childId } of first) await store.registry.completeChild(ended(childId));
    const run = await startRun(store.registry, 2, { reuseFrom: old.runId });
    const same = run.ask({ prompt: "p", options: { label: "x", phase: "y", timeoutMs: 5, retries: 2 } });
    const schema = run.ask({ prompt: "p", options: { schema: { type: "object" } } });
    const tools = run.ask({ prompt: "p", options: { tools: ["search"] } });
    const agent = run.ask({ prompt: "p", options: { agentId: "writer" } });
    const committed = await run.commit();
    expect(committed.spawned).toEqual([schema.childId, tools.childId, agent.childId]);
    expect((await store.registry.childrenById([same.childId], OWNER))[0]?.status).toBe("done");
  });

  test("D-009 G-005 a turn of a conversation is the same only after the same conversation", async () => {
    const store = await open();
    const talk = (run: RunDriver, prompt: string): string =>
      run.ask({ prompt, options: { session: { id: `ses_${run.runId.slice(4)}_1`, system: "s" } } }).childId;
    const old = await startRun(store.registry, 1);
    for (const prompt of ["one", "two"]) {
      const childId = talk(old, prompt);
      await old.commit();
      await store.registry.completeChild(ended(childId, { text: prompt.toUpperCase() }));
    }
    const same = await startRun(store.registry, 2, { reuseFrom: old.runId });
    for (const prompt of ["one", "two"]) {
      talk(same, prompt);
      expect((await same.commit()).spawned).toEqual([]);
    }
    expect(await store.registry.sessionHistory(`ses_${same.runId.slice(4)}_1`)).toHaveLength(4);
    const other = await startRun(store.registry, 3, { reuseFrom: old.runId });
    const childId = talk(other, "two");
    expect((await other.commit()).spawned).toEqual([childId]);
  });

  test("D-009 what may be taken and what was taken survive a restart, and end with the run", async () => {
    const store = await open();
    const old = await oldRun(store, [
      ["vote", "first"],
      ["vote", "second"],
    ]);
    const run = await startRun(store.registry, 2, { reuseFrom: old.runId });
    run.ask({ prompt: "vote" });
    await run.commit();
    const again = await store.restart();
    run.goOn(again);
    run.ask({ prompt: "vote" });
    run.ask({ prompt: "vote" });
    expect((await run.commit()).spawned).toHaveLength(1);
    const { rows } = await again.children(OWNER, { runId: run.runId }, PAGE);
    expect(rows.map(({ result }) => result)).toEqual(["first", "second", ""]);
  });

  test("D-009 S-017 a group stays while a living run may take results from it", async () => {
    const store = await open();
    const old = await oldRun(store, [["a", "A"]]);
    await old.end();
    const run = await startRun(store.registry, 2, { reuseFrom: old.runId });
    expect(await store.registry.archiveGroups(AT + 1, AT + 1, 10)).toEqual([]);
    await run.end();
    const groups = await store.registry.archiveGroups(AT + 1, AT + 1, 10);
    expect(groups.sort()).toEqual([`swarm:owner:${old.runId}`, `swarm:owner:${run.runId}`]);
  });

  test("D-009 a run to reuse that is not there leaves no run behind", async () => {
    const { registry } = await open();
    expect(await codeOf(registry.createRun(newRun(2, { reuseFrom: runIdOf(9) })))).toBe("not_found");
    expect(await registry.run(runIdOf(2), OWNER)).toBeUndefined();
  });
}
