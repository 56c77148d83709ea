// Contract: the last turns of a run that keeps history stay restorable, with what was pending at each.

import { expect, test } from "vitest";
import type { TurnCommit } from "../../../src/registry/port.ts";
import { AT, codeOf, ended, type OpenStore, OWNER, snapshotOf, startRun } from "./builders.ts";

const KEEP: Partial<TurnCommit> = { keepHistoryTurns: 3 };

export function historyChapter(open: OpenStore): void {
  test("R-008 the last turns are kept and no more, each with the chain of snapshots that it stands on", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    for (let turn = 1; turn <= 7; turn += 1) {
      const snapshot = snapshotOf(run.runId, turn, turn === 1 || turn === 6 ? null : turn - 1);
      await run.commit({ ...KEEP, snapshot, at: AT + turn });
    }
    expect(await registry.historyPoints(run.runId)).toEqual([
      { turn: 5, at: AT + 5, pendingCalls: 0 },
      { turn: 6, at: AT + 6, pendingCalls: 0 },
      { turn: 7, at: AT + 7, pendingCalls: 0 },
    ]);
    const turnsAt = async (turn: number): Promise<number[]> =>
      (await registry.chainAt(run.runId, turn)).map((blob) => blob.turn);
    expect(await turnsAt(5)).toEqual([1, 2, 3, 4, 5]);
    expect(await turnsAt(7)).toEqual([6, 7]);
    expect(await turnsAt(4)).toEqual([]);
    expect((await registry.snapshotChain(run.runId)).map((blob) => blob.turn)).toEqual([6, 7]);
  });

  test("R-008 a point says what was pending, where, and how it was answered later", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1, { sourceText: "await agents.run('x');" });
    const first = run.ask({ prompt: "a" });
    const second = run.ask({ prompt: "b" });
    await run.commit(KEEP);
    await registry.completeChild(ended(second.childId, { text: "B" }));
    await run.consume(KEEP);
    await registry.completeChild(ended(first.childId, { status: "failed", text: "", error: "no" }));
    const at1 = await registry.pointDetail(run.runId, 1, OWNER);
    expect(at1.point).toEqual({ turn: 1, at: AT, pendingCalls: 2 });
    expect(at1.pending).toMatchObject([
      { callId: first.callId, method: "agentWait", line: 1, children: [first.childId], answer: { ok: false } },
      { callId: second.callId, children: [second.childId], answer: { turn: 2, ok: true, value: "B" } },
    ]);
    expect(at1.pending[0]?.sourceLine).toBe("await agents.run('x');");
    const at2 = await registry.pointDetail(run.runId, 2, OWNER);
    expect(at2.pending.map(({ callId }) => callId)).toEqual([first.callId]);
    expect(at2.point.pendingCalls).toBe(1);
  });

  test("R-008 children are shown in their states as of then", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [running, queued] = [run.ask(), run.ask({ admitted: false })];
    await run.commit(KEEP);
    await registry.completeChild(ended(running.childId, { usage: { inputTokens: 1, outputTokens: 1 } }));
    await registry.claimChildren([queued.childId], AT);
    run.ask();
    await run.consume(KEEP);
    const statesAt = async (turn: number): Promise<string[]> =>
      (await registry.pointDetail(run.runId, turn, OWNER)).children.map((child) => `${child.status} ${child.result}`);
    expect(await statesAt(1)).toEqual(["running ", "queued "]);
    expect(await statesAt(2)).toEqual(["done the answer", "running ", "running "]);
    expect((await registry.pointDetail(run.runId, 1, OWNER)).children[0]?.usage).toBeUndefined();
  });

  test("R-008 points outlive the run and a restart, with the calls that nobody answered", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    const { callId } = run.ask();
    run.sleep(1_000);
    await run.commit(KEEP);
    await store.registry.endRun(
      run.runId,
      { state: "killed", error: { code: "run_stopped", message: "", next: "" } },
      true,
      AT,
    );
    const registry = await store.restart();
    expect(await registry.historyPoints(run.runId)).toHaveLength(1);
    const { pending } = await registry.pointDetail(run.runId, 1, OWNER);
    expect(pending).toMatchObject([
      { callId, method: "agentWait" },
      { method: "sleep", dueAt: AT + 1_000 },
    ]);
    expect(pending[1]?.answer).toBeUndefined();
    expect(await registry.chainAt(run.runId, 1)).toHaveLength(1);
  });

  test("R-008 S-017 an archived run keeps no turn", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await run.commit(KEEP);
    await run.end();
    expect(await registry.historyPoints(run.runId)).toHaveLength(1);
    await registry.archiveGroups(AT + 1, AT + 1, 10);
    expect(await registry.historyPoints(run.runId)).toEqual([]);
    expect(await registry.chainAt(run.runId, 1)).toEqual([]);
  });

  test("R-008 a run that keeps nothing has no turn, and a turn that is not kept names those that are", async () => {
    const { registry } = await open();
    const bare = await startRun(registry, 1);
    await bare.commit();
    expect(await registry.historyPoints(bare.runId)).toEqual([]);
    const run = await startRun(registry, 2);
    for (let turn = 1; turn <= 4; turn += 1) await run.commit(KEEP);
    await expect(registry.pointDetail(run.runId, 1, OWNER)).rejects.toMatchObject({
      code: "turn_not_kept",
      message: expect.stringContaining("2 to 4"),
    });
    expect(await codeOf(registry.pointDetail(bare.runId, 1, OWNER))).toBe("turn_not_kept");
    expect(await codeOf(registry.pointDetail("run_unknown", 1, OWNER))).toBe("turn_not_kept");
  });
}
