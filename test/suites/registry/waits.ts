// Contract: what a call is answered with, once, and in which order.

import { expect, test } from "vitest";
import { childSessionKey } from "../../../src/contract/ids.ts";
import { AT, detached, detachedIdOf, ended, type OpenStore, OWNER, startRun } from "./builders.ts";

export function waitsChapter(open: OpenStore): void {
  test("G-001 a done child answers with its text, or with its value when a schema was given", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const text = run.ask();
    const value = run.ask({ options: { schema: { type: "object" } } });
    await run.commit();
    const usage = { inputTokens: 3, outputTokens: 4 };
    await registry.completeChild(ended(text.childId, { text: 'say "x"', usage, costUsd: 0.5 }));
    await registry.completeChild(ended(value.childId, { text: "t", structured: { a: [1, null] } }));
    expect(await run.answers()).toEqual([
      { callId: text.callId, settleNumber: 1, ok: true, payload: '"say \\"x\\""', usage, costUsd: 0.5 },
      {
        callId: value.callId,
        settleNumber: 2,
        ok: true,
        payload: '{"a":[1,null]}',
        usage: undefined,
        costUsd: undefined,
      },
    ]);
  });

  test("G-004 S-003 a failed child answers with the data of a SwarmAgentError", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask({ options: { label: "reader" } });
    await run.commit();
    const usage = { inputTokens: 1, outputTokens: 2 };
    const facts = {
      error: "it does not fit",
      errorCode: "schema_invalid",
      schemaError: "/a: missing",
      text: "raw",
      usage,
    };
    await registry.completeChild(ended(childId, { status: "failed", ...facts }));
    const [answer] = await run.answers();
    expect(answer?.ok).toBe(false);
    expect(JSON.parse(answer?.payload ?? "null")).toEqual({
      name: "SwarmAgentError",
      message: "it does not fit",
      data: {
        runId: childId,
        status: "failed",
        attempts: 1,
        label: "reader",
        usage,
        schemaError: "/a: missing",
        text: "raw",
        code: "schema_invalid",
      },
    });
  });

  test("G-004 a child that timed out or was cancelled answers with its status and a code", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [late, killed] = [run.ask(), run.ask()];
    await run.commit();
    await registry.completeChild(ended(late.childId, { status: "timeout" }));
    await registry.cancelChild(killed.childId, "enough", AT);
    const answers = (await run.answers()).map(({ payload }) => JSON.parse(payload));
    expect(answers.map(({ data }) => [data.status, data.code])).toEqual([
      ["timeout", "child_timeout"],
      ["killed", "child_killed"],
    ]);
    expect(answers[1].message).toBe("enough");
  });

  test("answers come in the order in which they were settled", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const asked = [run.ask(), run.ask(), run.ask()];
    await run.commit();
    for (const index of [2, 0, 1]) await registry.completeChild(ended(asked[index]?.childId ?? ""));
    const answers = await run.answers();
    expect(answers.map(({ callId }) => callId)).toEqual([2, 0, 1].map((index) => asked[index]?.callId));
    expect(answers.map(({ settleNumber }) => settleNumber)).toEqual([1, 2, 3]);
  });

  test("a turn gets at most as many answers and bytes as it asked for, and the first one always", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const asked = [run.ask(), run.ask(), run.ask()];
    await run.commit();
    for (const { childId } of asked) await registry.completeChild(ended(childId, { text: "x".repeat(100) }));
    expect(await registry.undelivered(run.runId, 2, 10_000)).toHaveLength(2);
    expect(await registry.undelivered(run.runId, 10, 210)).toHaveLength(2);
    expect(await registry.undelivered(run.runId, 10, 1)).toHaveLength(1);
  });

  test("R-001 a wait for a child that is final already is answered in its own commit", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const childId = run.spawn();
    await run.commit();
    await registry.completeChild(ended(childId));
    const callId = run.waitOne(childId);
    expect(await run.commit()).toMatchObject({ wake: true, pendingCalls: 0 });
    expect(await run.answers()).toMatchObject([{ callId, ok: true, payload: '"the answer"' }]);
  });

  test("two waits for one child are both answered, in one turn or in two", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const childId = run.spawn();
    const calls = [run.waitOne(childId), run.waitOne(childId)];
    await run.commit();
    calls.push(run.waitOne(childId));
    expect((await run.commit()).pendingCalls).toBe(3);
    await registry.completeChild(ended(childId));
    expect((await run.answers()).map(({ callId }) => callId)).toEqual(calls);
    expect((await registry.pendingCalls(run.runId)).length).toBe(0);
  });

  test("calls of one run that wait for the same child are settled in the order in which they were made", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const childId = run.spawn();
    const calls = [run.waitAny([childId]), run.waitOne(childId), run.waitAny([childId, childId]), run.waitOne(childId)];
    await run.commit();
    const settled = await registry.completeChild(ended(childId));
    expect(settled).toEqual({ applied: true, runIds: [run.runId] });
    const answers = await run.answers();
    expect(answers.map(({ callId, settleNumber }) => [callId, settleNumber])).toEqual(
      calls.map((callId, index) => [callId, index + 1]),
    );
  });

  test("runs of one session that wait for the same child are all answered and woken", async () => {
    const { registry } = await open();
    const first = await startRun(registry, 1);
    const second = await startRun(registry, 2);
    const { childId } = first.ask();
    await first.commit();
    const callId = second.waitOne(childId);
    await second.commit();
    const settled = await registry.completeChild(ended(childId));
    expect(settled.runIds.sort()).toEqual([first.runId, second.runId]);
    expect(await second.answers()).toMatchObject([{ callId, ok: true }]);
  });

  test("S-014 a run that waits for a child it may not see is told the same as for one that does not exist", async () => {
    const { registry } = await open();
    const foreign = await startRun(registry, 1, { sessionKey: "stranger" });
    const { childId } = foreign.ask();
    await foreign.commit();
    const run = await startRun(registry, 2);
    const unknown = `agt_${"f".repeat(32)}_1`;
    const ids = [childId, unknown];
    for (const id of ids) run.waitOne(id);
    await run.commit();
    const answers = await run.answers();
    const told = answers.map(({ ok, payload }, index) => [ok, payload.replaceAll(ids[index] ?? "", "ID")]);
    expect(told[0]).toEqual(told[1]);
    expect(JSON.parse(answers[0]?.payload ?? "null").data.code).toBe("not_found");
  });

  test("S-011 a wait for any answers with the first completion, and says what is pending and unknown", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const children = [run.spawn(), run.spawn()];
    const callId = run.waitAny([...children, "agt_none"]);
    await run.commit();
    expect(await registry.pendingCalls(run.runId)).toMatchObject([{ callId, children: [...children, "agt_none"] }]);
    await registry.completeChild(ended(children[1] ?? ""));
    const [answer] = await run.answers();
    const payload = JSON.parse(answer?.payload ?? "null");
    expect(payload).toMatchObject({
      completed: [{ runId: children[1], status: "done", result: "the answer", attempts: 1 }],
      pending: [children[0]],
      errors: [{ runId: "agt_none", error: "not_found" }],
    });
    await registry.completeChild(ended(children[0] ?? ""));
    expect(await run.answers()).toHaveLength(1);
  });

  test("S-013 a wait for any that names a completed id answers at once, each time it is asked", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const children = [run.spawn(), run.spawn()];
    await run.commit();
    await registry.completeChild(ended(children[0] ?? ""));
    for (let turn = 0; turn < 2; turn += 1) {
      run.waitAny(children);
      expect(await run.commit()).toMatchObject({ wake: true });
      const [answer] = await run.consume();
      expect(JSON.parse(answer?.payload ?? "null").completed).toHaveLength(1);
    }
  });

  test("S-011 a wait for any answers at once when no id of it is pending, and when it may not wait", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const childId = run.spawn();
    run.waitAny(["agt_none"]);
    run.waitAny([childId], 0);
    expect(await run.commit()).toMatchObject({ wake: true, pendingCalls: 0 });
    expect((await run.answers()).map(({ payload }) => JSON.parse(payload))).toEqual([
      { completed: [], pending: [], errors: [{ runId: "agt_none", error: "not_found" }] },
      { completed: [], pending: [childId], errors: [] },
    ]);
  });

  test("S-011 a wait for any answers with nothing completed when its time is over", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const childId = run.spawn();
    run.waitAny([childId], 500);
    expect((await run.commit()).earliestDueAt).toBe(AT + 500);
    expect(await registry.fireTimers(AT + 499, 10)).toMatchObject({ wake: [], earliestDueAt: AT + 500 });
    expect(await registry.fireTimers(AT + 500, 10)).toMatchObject({ wake: [run.runId], earliestDueAt: null });
    const [answer] = await run.consume();
    expect(JSON.parse(answer?.payload ?? "null")).toEqual({ completed: [], pending: [childId], errors: [] });
    expect(await registry.completeChild(ended(childId))).toEqual({ applied: true, runIds: [] });
  });

  test("a completion ends the time-out of the wait that it answered", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const childId = run.spawn();
    run.waitAny([childId], 500);
    await run.commit();
    await registry.completeChild(ended(childId));
    expect(await registry.fireTimers(AT + 500, 10)).toMatchObject({ wake: [], earliestDueAt: null });
    expect(await run.answers()).toHaveLength(1);
  });

  test("a cancel answers true once, kills the child and rejects its wait in the same commit", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId, callId } = run.ask();
    await run.commit();
    const cancels = [run.cancel(childId), run.cancel(childId)];
    expect(await run.commit()).toMatchObject({ cancelled: [childId], wake: true });
    const answers = await run.answers();
    expect(answers.map((answer) => [answer.callId, answer.ok])).toEqual([
      [callId, false],
      [cancels[0], true],
      [cancels[1], true],
    ]);
    expect(answers.slice(1).map(({ payload }) => payload)).toEqual(["true", "false"]);
    expect((await registry.childrenById([childId], OWNER))[0]).toMatchObject({ status: "killed", error: "not needed" });
  });

  test("a child that is spawned, cancelled and then waited for in one turn rejects that wait", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const childId = run.spawn();
    run.cancel(childId);
    const callId = run.waitOne(childId);
    expect(await run.commit()).toMatchObject({ spawned: [childId], cancelled: [childId], pendingCalls: 0 });
    expect((await run.answers()).map((answer) => [answer.callId, answer.ok])).toContainEqual([callId, false]);
  });

  test("a cancel of a child of another run answers false and does nothing", async () => {
    const { registry } = await open();
    const other = await startRun(registry, 1);
    const { childId } = other.ask();
    await other.commit();
    const run = await startRun(registry, 2);
    run.cancel(childId);
    expect(await run.commit()).toMatchObject({ cancelled: [] });
    expect((await run.answers()).map(({ payload }) => payload)).toEqual(["false"]);
    expect((await registry.childForRun(childId))?.record.status).toBe("running");
  });

  test("S-016 a cancel reaches what descends from the child, and names other runs that it woke", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1);
    const { childId } = run.ask();
    await run.commit();
    const grandchild = detachedIdOf(1);
    const sessionKey = childSessionKey(childId);
    await registry.spawnDetached({ ...detached(grandchild, { sessionKey }), parentRunId: childId });
    const other = await startRun(registry, 2);
    other.waitOne(childId);
    await other.commit();
    run.cancel(grandchild);
    expect(await run.commit()).toMatchObject({ cancelled: [grandchild], woken: [] });
    run.cancel(childId);
    expect(await run.commit()).toMatchObject({ cancelled: [childId], woken: [other.runId] });
  });
}
