// Contract: sleeps, deadlines, and what a restart finds.

import { expect, test } from "vitest";
import { AT, ended, type OpenStore, OWNER, runIdOf, startRun } from "./builders.ts";

export function timeChapter(open: OpenStore): void {
  test("G-008 a sleep is answered when it is due, in due order, and not before", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [long, short] = [run.sleep(2_000), run.sleep(1_000.4)];
    expect((await run.commit()).earliestDueAt).toBe(AT + 1_001);
    expect(await registry.fireTimers(AT + 1_000, 10)).toEqual({
      wake: [],
      overdueChildren: [],
      cut: [],
      earliestDueAt: AT + 1_001,
      more: false,
    });
    expect(await registry.fireTimers(AT + 1_001, 10)).toMatchObject({ wake: [run.runId], earliestDueAt: AT + 2_000 });
    expect(await run.answers()).toMatchObject([{ callId: short, ok: true, payload: "null" }]);
    await registry.fireTimers(AT + 9_000, 10);
    expect((await run.answers()).map(({ callId }) => callId)).toEqual([short, long]);
    expect(await registry.fireTimers(AT + 9_000, 10)).toMatchObject({ wake: [], earliestDueAt: null });
  });

  test("many due timers are fired in bounded pieces", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    for (let index = 0; index < 5; index += 1) run.sleep(index);
    await run.commit();
    expect(await registry.fireTimers(AT + 10, 3)).toMatchObject({ more: true });
    expect(await run.answers()).toHaveLength(3);
    expect(await registry.fireTimers(AT + 10, 3)).toMatchObject({ more: false });
    expect(await run.answers()).toHaveLength(5);
  });

  test("children past their deadline are named, running and queued, until they are completed", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [first, second] = [run.ask({ deadlineAt: AT + 100 }), run.ask({ admitted: false, deadlineAt: AT + 200 })];
    expect((await run.commit()).earliestDueAt).toBe(AT + 100);
    expect(await registry.fireTimers(AT + 99, 10)).toMatchObject({ overdueChildren: [], earliestDueAt: AT + 100 });
    expect(await registry.fireTimers(AT + 100, 10)).toMatchObject({
      overdueChildren: [first.childId],
      earliestDueAt: AT + 200,
    });
    await registry.completeChild(ended(first.childId, { status: "timeout" }));
    expect(await registry.fireTimers(AT + 300, 10)).toMatchObject({
      overdueChildren: [second.childId],
      earliestDueAt: null,
    });
  });

  test("R-004 after a restart running children are queued at their old place and queued ones keep theirs", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    const asked = [run.ask({ admitted: false }), run.ask(), run.ask({ admitted: false })].map(({ childId }) => childId);
    await run.commit();
    const registry = await store.restart();
    const recovery = await registry.recover(AT + 1);
    expect(recovery).toMatchObject({ activeRuns: 1, readyRuns: [], requeued: 1, interrupted: 0 });
    const queue = await registry.queuedChildren(0, 10);
    expect(queue.map(({ record }) => record.runId)).toEqual(asked);
    expect(queue.map(({ record }) => record.attempts)).toEqual([0, 1, 0]);
    expect((await registry.claimChildren([asked[1] ?? ""], AT))[0]?.record.attempts).toBe(2);
    expect((await registry.completeChild(ended(asked[1] ?? "", { attempt: 1 }))).applied).toBe(false);
  });

  test("R-004 a restart can be made good for one run, or one child that no script spawned, and leaves the others", async () => {
    const store = await open();
    const runs = [await startRun(store.registry, 1), await startRun(store.registry, 2)];
    const asked = runs.map((run) => [run.ask().childId, run.ask({ admitted: false }).childId]);
    for (const run of runs) await run.commit();
    const registry = await store.restart();
    expect(await registry.recover(AT + 1, runIdOf(2))).toMatchObject({ requeued: 1, readyRuns: [runIdOf(2)] });
    expect(await registry.childCounts(runIdOf(1))).toMatchObject({ running: 1, queued: 1 });
    const queue = await registry.queuedChildren(0, 10, runIdOf(2));
    expect(queue.map(({ record }) => record.runId)).toEqual(asked[1]);
    const [first] = queue;
    expect(
      (await registry.queuedChildren(first?.ticket ?? 0, 10, runIdOf(2))).map(({ record }) => record.runId),
    ).toEqual(asked[1]?.slice(1));
    const only = asked[0]?.[0] ?? "";
    expect(await registry.recover(AT + 2, only)).toMatchObject({ requeued: 1, readyRuns: [] });
    expect((await registry.queuedChildren(0, 10, only)).map(({ record }) => record.runId)).toEqual([only]);
  });

  test("R-004 a child whose call said onRestart fail ends with the reason and its wait is answered", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    const { childId, callId } = run.ask({ options: { onRestart: "fail" } });
    const queued = run.ask({ admitted: false, options: { onRestart: "fail" } });
    await run.commit();
    const registry = await store.restart();
    run.goOn(registry);
    expect(await registry.recover(AT + 1)).toMatchObject({ requeued: 0, interrupted: 1, readyRuns: [run.runId] });
    const [record] = await registry.childrenById([childId], OWNER);
    expect(record).toMatchObject({ status: "failed", errorCode: "child_interrupted", endedAt: AT + 1 });
    const answers = await run.answers();
    expect(answers.map((answer) => [answer.callId, answer.ok])).toEqual([[callId, false]]);
    expect((await registry.childForRun(queued.childId))?.record.status).toBe("queued");
  });

  test("R-004 completed children, answers, sleeps and snapshots are as they were after a restart", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    const { childId, callId } = run.ask();
    run.sleep(5_000);
    await run.commit();
    await store.registry.completeChild(ended(childId));
    const registry = await store.restart();
    run.goOn(registry);
    expect(await registry.recover(AT)).toEqual({
      activeRuns: 1,
      readyRuns: [run.runId],
      requeued: 0,
      interrupted: 0,
      earliestDueAt: AT + 5_000,
    });
    expect(await run.answers()).toMatchObject([{ callId, settleNumber: 1, payload: '"the answer"' }]);
    expect((await registry.snapshotChain(run.runId)).map(({ turn }) => turn)).toEqual([1]);
    expect((await run.consume()).length).toBe(1);
    expect(await registry.fireTimers(AT + 5_000, 10)).toMatchObject({ wake: [run.runId] });
  });

  test("ready runs are those with an answer to consume or without a first turn, oldest first at a restart", async () => {
    const store = await open();
    const parked = await startRun(store.registry, 3);
    parked.ask();
    await parked.commit();
    const answered = await startRun(store.registry, 2);
    const { childId } = answered.ask();
    await answered.commit();
    await store.registry.completeChild(ended(childId));
    await startRun(store.registry, 1);
    const finished = await startRun(store.registry, 4);
    await finished.end();
    const ready = [runIdOf(1), runIdOf(2)];
    expect(await store.registry.readyRuns("", 10)).toEqual(ready);
    expect(await store.registry.readyRuns("", 1)).toEqual(ready.slice(0, 1));
    expect(await store.registry.readyRuns(runIdOf(1), 10)).toEqual(ready.slice(1));
    const registry = await store.restart();
    expect(await registry.recover(AT)).toMatchObject({ activeRuns: 3, readyRuns: [runIdOf(2), runIdOf(1)] });
  });
}
