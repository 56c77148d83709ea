// Contract: a fork begins with a kept turn of another run, and neither can hurt the other afterwards.

import { expect, test } from "vitest";
import type { NewFork } from "../../../src/registry/history-port.ts";
import type { Registry } from "../../../src/registry/port.ts";
import {
  AT,
  codeOf,
  ended,
  type OpenStore,
  OWNER,
  PAGE,
  type RunDriver,
  runIdOf,
  snapshotOf,
  startRun,
} from "./builders.ts";

const KEEP = { keepHistoryTurns: 5 };
const STOPPED = { state: "killed", error: { code: "run_stopped", message: "stopped", next: "" } } as const;

function forkOf(run: RunDriver, number: number, over: Partial<NewFork> = {}, turn = 1): NewFork {
  const runId = runIdOf(number);
  return {
    runId,
    sourceRunId: run.runId,
    snapshot: snapshotOf(runId, turn, null),
    name: "fork",
    groupId: `swarm:owner:${runId}`,
    limits: "{}",
    answers: [],
    keepHistoryTurns: 0,
    reuseFrom: undefined,
    idempotencyKey: undefined,
    at: AT,
    ...over,
  };
}

const twinOf = (number: number, childId: string): string => childId.replace(/[0-9a-f]{32}/, runIdOf(number).slice(4));

async function statesOf(registry: Registry, number: number): Promise<string[]> {
  const { rows } = await registry.children(OWNER, { runId: runIdOf(number) }, PAGE);
  return rows.map(({ status, result }) => `${status} ${result}`.trim());
}

export function forksChapter(open: OpenStore): void {
  test("R-008 a fork stands at its turn, with the original's answers in the order in which they came", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [a, b, c] = [run.ask(), run.ask(), run.ask()];
    await run.commit(KEEP);
    await registry.completeChild(ended(b.childId, { text: "B" }));
    await run.consume(KEEP);
    await registry.completeChild(
      ended(a.childId, { text: "A", usage: { inputTokens: 5, outputTokens: 5 }, costUsd: 1 }),
    );
    const forked = await registry.forkRun(forkOf(run, 2));
    expect(forked).toMatchObject({ created: true, queued: [], earliestDueAt: null });
    expect(forked.run).toMatchObject({
      state: "running",
      turn: 1,
      forkedFrom: { runId: run.runId, turn: 1 },
      children: { queued: 1, running: 0, done: 2 },
    });
    const answers = await registry.undelivered(runIdOf(2), 10, 1_000);
    expect(answers.map(({ callId, payload }) => [callId, payload])).toEqual([
      [b.callId, '"B"'],
      [a.callId, '"A"'],
    ]);
    expect(answers[1]?.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    expect(await registry.snapshotChain(runIdOf(2))).toHaveLength(1);
    const { rows } = await registry.children(OWNER, { runId: runIdOf(2) }, PAGE);
    expect(rows.map(({ reusedFrom }) => reusedFrom)).toEqual([a.childId, b.childId, c.childId]);
    expect((await registry.readyRuns("", 10)).sort()).toEqual([run.runId, runIdOf(2)]);
  });

  test("R-008 L3 a followed child ends with the original, once, and wakes the fork", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit(KEEP);
    await registry.forkRun(forkOf(run, 2));
    expect(await registry.queuedChildren(0, 10)).toEqual([]);
    const settled = await registry.completeChild(ended(childId));
    expect(settled.runIds.sort()).toEqual([run.runId, runIdOf(2)]);
    expect(await statesOf(registry, 2)).toEqual(["done the answer"]);
    expect((await registry.completeChild(ended(childId))).applied).toBe(false);
    expect(await registry.undelivered(runIdOf(2), 10, 1_000)).toHaveLength(1);
  });

  test("R-008 when the original is killed, the first follower goes on from its last step and the others follow it", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    const { childId } = run.ask();
    await run.commit(KEEP);
    await store.registry.recordStep(childId, 1, '"half"', AT);
    await store.registry.forkRun(forkOf(run, 2));
    await store.registry.forkRun(forkOf(run, 3));
    const { cancelled } = await store.registry.endRun(run.runId, STOPPED, true, AT);
    expect(cancelled).toEqual([childId]);
    const first = twinOf(2, childId);
    expect(await store.registry.freedBy(cancelled)).toEqual([first]);
    const registry = await store.restart();
    await registry.recover(AT);
    expect((await registry.queuedChildren(0, 10)).map(({ record }) => record.runId)).toEqual([first]);
    expect(await registry.steps(first)).toEqual(['"half"']);
    await registry.claimChildren([first], AT);
    await registry.completeChild(ended(first, { attempt: 2 }));
    expect(await statesOf(registry, 3)).toEqual(["done the answer"]);
    expect(await statesOf(registry, 2)).toEqual(["done the answer"]);
  });

  test("R-008 S-016 ending the fork ends its own children and nobody else's", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit(KEEP);
    await registry.forkRun(forkOf(run, 2));
    await registry.endRun(runIdOf(2), STOPPED, true, AT);
    expect((await registry.completeChild(ended(childId))).runIds).toEqual([run.runId]);
    expect(await statesOf(registry, 2)).toEqual(["killed"]);
  });

  test("R-008 sleeps, waits for any and waits for events are pending again, each as it was", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const children = [run.spawn(), run.spawn()];
    const any = run.waitAny(children, 9_000);
    const sleep = run.sleep(5_000);
    const event = run.waitForEvent("go");
    await run.commit(KEEP);
    const { run: forked, earliestDueAt } = await registry.forkRun(forkOf(run, 2));
    expect([forked.state, earliestDueAt]).toEqual(["waiting", AT + 5_000]);
    await registry.endRun(run.runId, STOPPED, false, AT);
    expect((await registry.pendingCalls(runIdOf(2))).map(({ callId }) => callId)).toEqual([any, sleep, event]);
    await registry.completeChild(ended(children[1] ?? ""));
    await registry.settleCall({ runId: runIdOf(2), callId: event }, { ok: true, payload: "1" });
    await registry.fireTimers(AT + 5_000, 10);
    const answers = await registry.undelivered(runIdOf(2), 10, 10_000);
    expect(answers.map(({ callId }) => callId)).toEqual([any, event, sleep]);
    const told = JSON.parse(answers[0]?.payload ?? "{}") as { completed: { runId: string }[]; pending: string[] };
    expect([told.completed.map(({ runId }) => runId), told.pending]).toEqual([[children[1]], [children[0]]]);
  });

  test("R-008 a set answer replaces the one that was given, in its place; a turn's end is no longer the original's", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    const [text, value] = [run.ask(), run.ask({ options: { schema: { type: "object" } } })];
    await run.commit(KEEP);
    await store.registry.completeChild(ended(text.childId));
    await store.registry.completeChild(ended(value.childId, { structured: { a: 1 } }));
    await run.consume(KEEP);
    await run.end();
    const answers = [
      { callId: value.callId, value: '{"a":2}' },
      { callId: text.callId, value: '"other"' },
    ];
    await store.registry.forkRun(forkOf(run, 2, { answers }));
    const registry = await store.restart();
    const given = await registry.undelivered(runIdOf(2), 10, 1_000);
    expect(given.map(({ payload }) => payload)).toEqual(['"other"', '{"a":2}']);
    const { rows } = await registry.children(OWNER, { runId: runIdOf(2) }, PAGE);
    expect(rows.map(({ answerSet, structured }) => [answerSet, structured])).toEqual([
      [true, undefined],
      [true, { a: 2 }],
    ]);
    const next = {
      runId: runIdOf(2),
      epoch: 1,
      turn: 2,
      consumed: given.map(({ callId, settleNumber }) => ({ callId, settleNumber })),
    };
    await registry.commitTurn({ ...run.plan(), ...next, outcome: { state: "done", result: "1" }, snapshot: null });
    expect(await registry.run(runIdOf(2), OWNER)).toMatchObject({ state: "done", turn: 2 });
  });

  test("R-008 G-005 a conversation goes on as the fork's own, with what was said until then", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const session = (number: number) => ({ id: `ses_${runIdOf(number).slice(4)}_1`, system: "s" });
    for (const text of ["one", "two", "three"]) {
      const { childId } = run.ask({ prompt: text, options: { session: session(1) } });
      await run.consume(KEEP);
      await registry.completeChild(ended(childId, { text: text.toUpperCase() }));
    }
    await registry.forkRun(forkOf(run, 2, {}, 2));
    expect((await registry.sessionHistory(session(2).id)).map(({ text }) => text)).toEqual([
      "one",
      "ONE",
      "two",
      "TWO",
    ]);
    expect(await registry.sessionHistory(session(1).id)).toHaveLength(6);
  });

  test("R-008 the same key gives the first fork again; another fork with it is refused", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    run.ask();
    await run.commit(KEEP);
    await registry.forkRun(forkOf(run, 2, { idempotencyKey: "k" }));
    expect(await registry.forkRun(forkOf(run, 3, { idempotencyKey: "k" }))).toMatchObject({
      created: false,
      run: { runId: runIdOf(2) },
    });
    const other = forkOf(run, 3, { idempotencyKey: "k", answers: [{ callId: 2, value: '"x"' }] });
    expect(await codeOf(registry.forkRun(other))).toBe("idempotency_conflict");
  });

  test("R-008 a fork of what is not kept, or with an answer that does not fit, leaves nothing behind", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { callId } = run.ask();
    await run.commit(KEEP);
    const answer = (id: number, value: string): NewFork => forkOf(run, 2, { answers: [{ callId: id, value }] });
    expect(await codeOf(registry.forkRun(forkOf(run, 2, {}, 7)))).toBe("turn_not_kept");
    expect(await codeOf(registry.forkRun(answer(77, "1")))).toBe("call_not_pending");
    expect(await codeOf(registry.forkRun(answer(callId, "1")))).toBe("answer_type");
    expect(await codeOf(registry.forkRun(forkOf(run, 2, { sourceRunId: "run_unknown" })))).toBe("not_found");
    expect(await registry.run(runIdOf(2), OWNER)).toBeUndefined();
  });

  test("R-008 S-017 a fork outlives the archiving of its original", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit(KEEP);
    await registry.completeChild(ended(childId, { text: "A" }));
    await registry.forkRun(forkOf(run, 2));
    await run.end();
    expect(await registry.archiveGroups(AT + 1, AT + 1, 10)).toEqual([`swarm:owner:${run.runId}`]);
    expect(await registry.undelivered(runIdOf(2), 10, 1_000)).toMatchObject([{ payload: '"A"' }]);
    expect(await registry.runForTurn(runIdOf(2))).toMatchObject({ sourceText: "await agents.run('x');" });
  });
}
