// Contract: runs outside their turns.

import { expect, test } from "vitest";
import { AT, codeOf, ended, newRun, OPERATOR, type OpenStore, OWNER, runIdOf, startRun } from "./builders.ts";

const STOPPED = { code: "run_stopped", message: "stopped", next: "nothing" } as const;
const LOST = { code: "run_quarantined", message: "crashed", next: "look" } as const;

export function runsChapter(open: OpenStore): void {
  test("R-002 a new run is stored with its texts, args and limits, and is ready for its first turn", async () => {
    const { registry } = await open();
    const submitted = newRun(1, { args: '{"a":1}', limits: '{"x":2}', agentId: "writer", sourceText: "a", code: "b" });
    const { run, created } = await registry.createRun(submitted);
    expect(created).toBe(true);
    expect(run).toMatchObject({ runId: runIdOf(1), state: "running", turn: 0, resumeCrashes: 0, createdAt: AT });
    expect(await registry.runForTurn(runIdOf(1))).toMatchObject({
      epoch: 1,
      code: "b",
      sourceText: "a",
      args: '{"a":1}',
      limits: '{"x":2}',
      agentId: "writer",
      notesStored: 0,
    });
    expect(await registry.readyRuns("", 10)).toEqual([runIdOf(1)]);
  });

  test("args that were not given stay undefined and are not null", async () => {
    const { registry } = await open();
    await registry.createRun(newRun(1));
    await registry.createRun(newRun(2, { args: "null" }));
    expect((await registry.runForTurn(runIdOf(1)))?.args).toBeUndefined();
    expect((await registry.runForTurn(runIdOf(2)))?.args).toBe("null");
  });

  test("an idempotency key gives its session the first run again", async () => {
    const { registry } = await open();
    await registry.createRun(newRun(1, { idempotencyKey: "k" }));
    const again = await registry.createRun(newRun(2, { idempotencyKey: "k" }));
    expect(again).toMatchObject({ created: false, run: { runId: runIdOf(1) } });
    expect(await registry.run(runIdOf(2), OPERATOR)).toBeUndefined();
  });

  test("an idempotency key with another script or other args is refused", async () => {
    const { registry } = await open();
    await registry.createRun(newRun(1, { idempotencyKey: "k" }));
    const other = newRun(2, { idempotencyKey: "k", sourceText: "another" });
    expect(await codeOf(registry.createRun(other))).toBe("idempotency_conflict");
    const args = newRun(2, { idempotencyKey: "k", args: "1" });
    expect(await codeOf(registry.createRun(args))).toBe("idempotency_conflict");
  });

  test("an idempotency key of another session is another key", async () => {
    const { registry } = await open();
    await registry.createRun(newRun(1, { idempotencyKey: "k" }));
    const other = newRun(2, { idempotencyKey: "k", sessionKey: "stranger" });
    expect((await registry.createRun(other)).created).toBe(true);
  });

  test("a run that is not there has no turn, no record, no chain and no answers", async () => {
    const { registry } = await open();
    expect(await registry.runForTurn(runIdOf(9))).toBeUndefined();
    expect(await registry.run(runIdOf(9), OPERATOR)).toBeUndefined();
    expect(await registry.snapshotChain(runIdOf(9))).toEqual([]);
    expect(await registry.undelivered(runIdOf(9), 10, 10)).toEqual([]);
    expect(await registry.pendingCalls(runIdOf(9))).toEqual([]);
  });

  test("S-016 a stopped run takes its queued and running children with it; a queued one has no start time", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId: running } = run.ask();
    const { childId: queued } = run.ask({ admitted: false });
    await run.commit();
    const stopped = await registry.endRun(run.runId, { state: "killed", error: STOPPED }, true, AT + 5);
    expect(stopped).toEqual({ applied: true, cancelled: [running, queued], wake: [] });
    const records = await registry.childrenById([running, queued], OWNER);
    expect(records.map(({ status, endedAt }) => [status, endedAt])).toEqual([
      ["killed", AT + 5],
      ["killed", AT + 5],
    ]);
    expect(records.map(({ startedAt }) => startedAt)).toEqual([AT, undefined]);
    expect(await registry.run(run.runId, OWNER)).toMatchObject({ state: "killed", error: STOPPED, endedAt: AT + 5 });
  });

  test("S-016 a run that is ended without its children leaves them to run", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask();
    await run.commit();
    await registry.endRun(run.runId, { state: "failed", error: STOPPED }, false, AT);
    expect(await registry.completeChild(ended(childId))).toEqual({ applied: true, runIds: [] });
    expect((await registry.childrenById([childId], OWNER))[0]?.status).toBe("done");
  });

  test("a run that is final cannot be ended again, and one that is not there is a fault", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await run.end();
    const again = await registry.endRun(run.runId, { state: "killed", error: STOPPED }, true, AT);
    expect(again).toEqual({ applied: false, cancelled: [], wake: [] });
    expect((await registry.run(run.runId, OWNER))?.state).toBe("done");
    const missing = registry.endRun(runIdOf(9), { state: "killed", error: STOPPED }, true, AT);
    expect(await codeOf(missing)).toBe("not_found");
  });

  test("a turn of a run that was stopped meanwhile is refused and leaves nothing", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await registry.endRun(run.runId, { state: "killed", error: STOPPED }, true, AT);
    const { childId } = run.ask();
    expect(await codeOf(run.commit())).toBe("stale_epoch");
    expect(await registry.childForRun(childId)).toBeUndefined();
  });

  test("resumes are counted until a turn is committed", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    expect(await registry.countResume(run.runId, AT)).toBe(1);
    expect(await registry.countResume(run.runId, AT)).toBe(2);
    expect((await registry.runForTurn(run.runId))?.run.resumeCrashes).toBe(2);
    run.sleep(10);
    await run.commit();
    expect((await registry.runForTurn(run.runId))?.run.resumeCrashes).toBe(0);
    expect(await codeOf(registry.countResume(runIdOf(9), AT))).toBe("not_found");
  });

  test("a count of resumes can be taken back, and never goes below nothing", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await registry.countResume(run.runId, AT);
    await registry.forgiveResume(run.runId);
    await registry.forgiveResume(run.runId);
    expect(await registry.countResume(run.runId, AT)).toBe(1);
    expect(await codeOf(registry.forgiveResume(runIdOf(9)))).toBe("not_found");
  });

  test("a quarantined run keeps its snapshot and its answers, and goes on when it is released", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId, callId } = run.ask();
    await run.commit();
    await registry.endRun(run.runId, { state: "quarantined", error: LOST }, false, AT);
    expect(await registry.run(run.runId, OWNER)).toMatchObject({ state: "quarantined", error: LOST });
    expect(await registry.completeChild(ended(childId))).toEqual({ applied: true, runIds: [] });
    expect(await registry.readyRuns("", 10)).toEqual([]);
    expect(await registry.releaseRun(run.runId, AT)).toBe(true);
    expect(await registry.readyRuns("", 10)).toEqual([run.runId]);
    const row = await registry.runForTurn(run.runId);
    expect(row?.run).toMatchObject({ state: "running", resumeCrashes: 0 });
    expect(row?.run.error).toBeUndefined();
    expect((await run.answers()).map((answer) => answer.callId)).toEqual([callId]);
    expect((await registry.snapshotChain(run.runId)).map(({ turn }) => turn)).toEqual([1]);
  });

  test("a turn that began before a quarantine is refused after the release", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await registry.endRun(run.runId, { state: "quarantined", error: LOST }, false, AT);
    await registry.releaseRun(run.runId, AT);
    expect(await codeOf(run.commit())).toBe("stale_epoch");
    run.epoch = (await registry.runForTurn(run.runId))?.epoch ?? 0;
    expect((await run.commit()).pendingCalls).toBe(0);
  });

  test("only a quarantined run is released, and it can be stopped instead", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    expect(await registry.releaseRun(run.runId, AT)).toBe(false);
    await registry.endRun(run.runId, { state: "quarantined", error: LOST }, false, AT);
    const stopped = await registry.endRun(run.runId, { state: "killed", error: STOPPED }, true, AT);
    expect(stopped.applied).toBe(true);
    expect(await registry.releaseRun(run.runId, AT)).toBe(false);
    expect(await codeOf(registry.releaseRun(runIdOf(9), AT))).toBe("not_found");
  });
}
