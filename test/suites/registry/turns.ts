// Contract: a turn is one transaction.

import { expect, test } from "vitest";
import { NOTES_PER_RUN_MAX } from "../../../src/contract/limits.ts";
import type { TurnCommitted } from "../../../src/registry/port.ts";
import { AT, codeOf, ended, type OpenStore, OWNER, runIdOf, snapshotOf, startRun } from "./builders.ts";

export function turnsChapter(open: OpenStore): void {
  test("R-001 R-002 a turn commits its snapshot, calls, children and notes together", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId, callId } = run.ask({ options: { label: "reader", phase: "read" } });
    const notes = [{ kind: "phase", level: "info", text: "reading" } as const];
    const committed = await run.commit({ notes });
    expect(committed).toEqual({
      spawned: [childId],
      refused: [],
      cancelled: [],
      wake: false,
      woken: [],
      earliestDueAt: null,
      pendingCalls: 1,
    });
    expect(await registry.run(run.runId, OWNER)).toMatchObject({ turn: 1, state: "waiting", phase: "reading" });
    expect(await registry.childCounts(run.runId)).toMatchObject({ running: 1, queued: 0 });
    expect(await registry.pendingCalls(run.runId)).toMatchObject([
      { callId, method: "agentWait", line: 1, column: 7, sourceLine: "await agents.run('x');", children: [childId] },
    ]);
    expect(await registry.notes(run.runId, 0, 10)).toMatchObject([{ turn: 1, kind: "phase", text: "reading", at: AT }]);
    expect((await registry.snapshotChain(run.runId)).map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
      "snapshot 1",
    ]);
  });

  test("G-015 R-002 a turn that leaves nothing to wake the run ends it in the same transaction, with its children", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const deadlock = { code: "deadlock", message: "It waits for nothing.", next: "Look at it." } as const;
    const asked = run.ask();
    expect(await run.commit({ deadlock })).toMatchObject({ pendingCalls: 1 });
    await registry.completeChild(ended(asked.childId));
    const left = run.spawn();
    const answers = await run.answers();
    const consumed = answers.map(({ callId, settleNumber }) => ({ callId, settleNumber }));
    const committed = await run.commit({ deadlock, consumed });
    expect(committed).toMatchObject({ pendingCalls: 0, wake: false, cancelled: [left] });
    expect(await registry.run(run.runId, OWNER)).toMatchObject({ state: "failed", error: deadlock });
    expect(await registry.childCounts(run.runId)).toMatchObject({ done: 1, killed: 1, running: 0 });
    expect(await registry.snapshotChain(run.runId)).toEqual([]);
  });

  test("R-001 a turn that is committed twice creates no child twice and is refused", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    run.ask();
    const plan = run.plan();
    await registry.commitTurn(plan);
    expect(await codeOf(registry.commitTurn(plan))).toBe("stale_epoch");
    expect((await registry.children(OWNER, { runId: run.runId }, { limit: 10 })).rows).toHaveLength(1);
  });

  test("R-002 a turn of another epoch, or that skips one, is refused and leaves nothing", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    const notes = [{ kind: "log", level: "info", text: "x" } as const];
    const plan = run.plan({ notes });
    expect(await codeOf(registry.commitTurn({ ...plan, epoch: 7 }))).toBe("stale_epoch");
    const skipped = { ...plan, turn: 2, snapshot: snapshotOf(run.runId, 2, null) };
    expect(await codeOf(registry.commitTurn(skipped))).toBe("stale_epoch");
    expect(await registry.childForRun(childId)).toBeUndefined();
    expect(await registry.notes(run.runId, 0, 10)).toEqual([]);
    expect(await registry.snapshotChain(run.runId)).toEqual([]);
    expect(await codeOf(registry.commitTurn({ ...plan, runId: runIdOf(9) }))).toBe("not_found");
  });

  test("R-002 an answer that is not there condemns the whole turn, the good ones among its answers included", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId, callId } = run.ask();
    await run.commit();
    await registry.completeChild(ended(childId));
    const good = { callId, settleNumber: 1 };
    const missing = run.commit({ consumed: [good, { callId: 99, settleNumber: 2 }] });
    expect(await codeOf(missing)).toBe("stale_epoch");
    expect((await run.answers()).map((answer) => answer.callId)).toEqual([callId]);
    const other = run.commit({ consumed: [{ callId, settleNumber: 2 }] });
    expect(await codeOf(other)).toBe("stale_epoch");
    expect((await run.commit({ consumed: [good] })).wake).toBe(false);
    expect(await run.answers()).toEqual([]);
  });

  test("an answer is consumed once", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId, callId } = run.ask();
    await run.commit();
    await registry.completeChild(ended(childId));
    const consumed = [{ callId, settleNumber: 1 }];
    await run.commit({ consumed });
    expect(await codeOf(run.commit({ consumed }))).toBe("stale_epoch");
  });

  test("a difference is stored behind its snapshot and a full one replaces the chain", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await run.commit();
    await run.commit();
    await run.commit();
    const links = await registry.snapshotChain(run.runId);
    expect(links.map(({ turn, parentTurn, imageHash }) => [turn, parentTurn, imageHash])).toEqual([
      [1, null, "image"],
      [2, 1, "image"],
      [3, 2, "image"],
    ]);
    await run.commit({ snapshot: snapshotOf(run.runId, 4, null) });
    expect((await registry.snapshotChain(run.runId)).map(({ turn }) => turn)).toEqual([4]);
  });

  test("a difference to an older snapshot replaces what came after that one", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    for (let turn = 1; turn <= 3; turn += 1) await run.commit();
    await run.commit({ snapshot: snapshotOf(run.runId, 4, 1) });
    expect((await registry.snapshotChain(run.runId)).map(({ turn }) => turn)).toEqual([1, 4]);
    const nowhere = run.commit({ snapshot: snapshotOf(run.runId, 5, 3) });
    expect(await codeOf(nowhere)).toBe("internal");
    expect((await registry.snapshotChain(run.runId)).map(({ turn }) => turn)).toEqual([1, 4]);
  });

  test("a last turn makes the run final and lets go of what only a living run needs", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    run.ask();
    run.sleep(1_000);
    await run.commit();
    const unawaited = run.spawn({ admitted: false });
    const last = await run.commit({ outcome: { state: "done", result: '{"ok":true}' } });
    expect(last).toMatchObject({ spawned: [unawaited], wake: false, pendingCalls: 0, earliestDueAt: null });
    const record = await registry.run(run.runId, OWNER);
    expect(record).toMatchObject({ state: "done", result: { ok: true }, turn: 2, endedAt: AT });
    expect(record?.children).toMatchObject({ running: 1, queued: 1 });
    expect(await registry.snapshotChain(run.runId)).toEqual([]);
    expect(await registry.pendingCalls(run.runId)).toEqual([]);
    expect(await registry.fireTimers(AT + 5_000, 10)).toMatchObject({ wake: [], earliestDueAt: null });
  });

  test("S-016 a last turn can take the run's live children with it", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit();
    const fresh = run.spawn();
    const last = await run.commit({ outcome: { state: "done", result: "null" }, cancelChildren: true });
    expect(last.cancelled).toEqual([childId, fresh]);
    const records = await registry.childrenById([childId, fresh], OWNER);
    expect(records.map(({ status }) => status)).toEqual(["killed", "killed"]);
  });

  test("S-008 spawns above the live limit are refused, naming the key and the numbers, and reject their waits", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const children = [run.ask(), run.ask(), run.ask({ options: { label: "third" } })];
    const groupLimits = { maxChildrenPerGroup: 2, maxTotalPerGroup: 10 };
    const committed = await run.commit({ groupLimits });
    expect(committed.spawned).toEqual([children[0]?.childId, children[1]?.childId]);
    expect(committed.refused).toMatchObject([{ childId: children[2]?.childId, error: { code: "child_limit" } }]);
    expect(committed.wake).toBe(true);
    const [answer] = await run.answers();
    expect(answer).toMatchObject({ callId: children[2]?.callId, ok: false });
    const error = JSON.parse(answer?.payload ?? "null");
    expect(error.name).toBe("SwarmAgentError");
    expect(error.message).toContain("tools.swarm.maxChildrenPerGroup is 2");
    expect(error.message).toContain("2 live children");
    expect(error.data).toMatchObject({ runId: children[2]?.childId, status: "failed", label: "third", attempts: 0 });
    expect(error.data.code).toBe("child_limit");
  });

  test("S-008 S-004 the lifetime limit counts ended children and spans the turns of a run", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const groupLimits = { maxChildrenPerGroup: 10, maxTotalPerGroup: 2 };
    for (let turn = 0; turn < 2; turn += 1) {
      const { childId } = run.ask();
      await run.commit({ groupLimits });
      await registry.completeChild(ended(childId));
      await run.consume();
    }
    run.ask();
    const committed = await run.commit({ groupLimits });
    expect(committed.refused).toMatchObject([{ error: { code: "group_total_limit" } }]);
    expect(committed.refused[0]?.error.message).toContain("tools.swarm.maxTotalPerGroup is 2");
  });

  test("S-008 a child that the same turn cancelled first makes room for the next", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const groupLimits = { maxChildrenPerGroup: 1, maxTotalPerGroup: 10 };
    const first = run.spawn();
    await run.commit({ groupLimits });
    run.cancel(first);
    const second = run.spawn();
    expect(await run.commit({ groupLimits })).toMatchObject({ cancelled: [first], spawned: [second], refused: [] });
  });

  test("answers given in the commit itself follow the order of the guest's calls", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const first = run.cancel("agt_none");
    const refusedId = run.takeCallId();
    const last = run.waitOne("agt_none");
    const settled = [
      { callId: refusedId, method: "agentWait", ok: false, payload: '{"name":"E","message":"m","data":{}}' },
    ];
    const committed = await run.commit({ settled });
    expect(committed.wake).toBe(true);
    const answers = await run.answers();
    expect(answers.map(({ callId, settleNumber, ok }) => [callId, settleNumber, ok])).toEqual([
      [first, 1, true],
      [refusedId, 2, false],
      [last, 3, false],
    ]);
    expect(answers[1]?.payload).toBe('{"name":"E","message":"m","data":{}}');
  });

  test("a call that swarm has settled is not stored to wait as well", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { callId } = run.ask();
    const settled = [{ callId, method: "agentWait", ok: true, payload: "1" }];
    expect(await run.commit({ settled })).toMatchObject({ wake: true, pendingCalls: 0 });
    expect((await run.answers()).map(({ payload }) => payload)).toEqual(["1"]);
  });

  test("a completion that lands before the commit of a running turn makes it wake", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [first, second] = [run.ask(), run.ask()];
    await run.commit();
    await registry.completeChild(ended(first.childId));
    const [answer] = await run.answers();
    await registry.completeChild(ended(second.childId));
    const consumed = answer ? [{ callId: answer.callId, settleNumber: answer.settleNumber }] : [];
    expect(await run.commit({ consumed })).toMatchObject({ wake: true, pendingCalls: 0 });
    expect(await registry.readyRuns("", 10)).toEqual([run.runId]);
  });

  test("work can begin when the turn is applied, before it is durable", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    const seen: string[] = [];
    const onApplied = (value: TurnCommitted): void => void seen.push(`applied ${value.spawned.length}`);
    const committed = registry.commitTurn(run.plan(), { onApplied }).then(() => seen.push("durable"));
    expect(seen).toEqual(["applied 1"]);
    expect((await registry.childForRun(childId))?.record.status).toBe("running");
    await committed;
    expect(seen).toEqual(["applied 1", "durable"]);
  });

  test("G-006 notes are kept in order with their turn, and a phase is the run's until the next", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const log = { kind: "log", level: "info", text: "one" } as const;
    await run.commit({ notes: [log, { kind: "phase", level: "info", text: "build" }] });
    await run.commit({ notes: [{ kind: "console", level: "warn", text: "two" }] });
    const notes = await registry.notes(run.runId, 0, 10);
    expect(notes.map(({ turn, kind, level, text }) => [turn, kind, level, text])).toEqual([
      [1, "log", "info", "one"],
      [1, "phase", "info", "build"],
      [2, "console", "warn", "two"],
    ]);
    expect((await registry.run(run.runId, OWNER))?.phase).toBe("build");
    expect(await registry.notes(run.runId, notes[1]?.seq ?? 0, 10)).toEqual(notes.slice(2));
    expect(await registry.notes(run.runId, 0, 1)).toEqual(notes.slice(0, 1));
  });

  test("G-006 notes that a turn dropped are marked, and a run's notes end with one mark at their limit", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await run.commit({ notes: [], notesDropped: 7 });
    expect((await registry.notes(run.runId, 0, 10)).map(({ text }) => text)).toEqual([
      "… truncated: 7 more notes of this turn were not stored",
    ]);
    const notes = Array.from({ length: NOTES_PER_RUN_MAX }, () => ({ kind: "log", level: "info", text: "x" }) as const);
    await run.commit({ notes });
    await run.commit({ notes: notes.slice(0, 3), notesDropped: 2 });
    const stored = await registry.notes(run.runId, 0, NOTES_PER_RUN_MAX * 2);
    expect(stored).toHaveLength(NOTES_PER_RUN_MAX + 1);
    expect(stored.at(-1)?.text).toContain(`a run keeps ${NOTES_PER_RUN_MAX} notes`);
    expect(stored.filter(({ text }) => text.startsWith("… truncated"))).toHaveLength(2);
  });
}
