// Contract: a call that somebody outside answers stays pending until then, for as long as that takes, and
// is answered once.

import { expect, test } from "vitest";
import { fault, toFaultData } from "../../../src/contract/fault.ts";
import { AT, ended, type OpenStore, startRun } from "./builders.ts";

const YES = { ok: true, payload: '{"yes":true}' };

export function outsideChapter(open: OpenStore): void {
  test("R-001 G-015 a call that waits for somebody outside is pending, is no deadlock, and is answered with what was said", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const callId = run.waitForEvent("deployed");
    const deadlock = toFaultData(fault("deadlock", "It waits for nothing."));
    expect(await run.commit({ deadlock })).toMatchObject({ wake: false, pendingCalls: 1, earliestDueAt: null });
    expect(await registry.pendingCalls(run.runId)).toMatchObject([{ callId, method: "waitForEvent", line: 1 }]);
    const settled = await registry.settleCall({ runId: run.runId, callId }, YES);
    expect(settled).toEqual({ applied: true, runIds: [run.runId] });
    expect(await run.answers()).toMatchObject([{ callId, settleNumber: 1, ...YES }]);
    expect(await registry.readyRuns("", 10)).toEqual([run.runId]);
    await run.consume({ outcome: { state: "done", result: "1" } });
  });

  test("a refusal from outside is an error with its name and data", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const callId = run.waitForEvent("deployed");
    await run.commit();
    const payload = JSON.stringify({ name: "ToolError", message: "no", data: { code: "x" } });
    await registry.settleCall({ runId: run.runId, callId }, { ok: false, payload });
    expect(await run.answers()).toMatchObject([{ callId, ok: false, payload }]);
  });

  test("R-004 G-014 calls of tools that nobody answered are listed page by page, after a restart too, and no others", async () => {
    const store = await open();
    const [first, second, over] = [
      await startRun(store.registry, 1),
      await startRun(store.registry, 2),
      await startRun(store.registry, 3),
    ];
    const calls = [first.callTool("read", { path: "a" }), first.callTool("write")];
    first.waitForEvent("deployed");
    await first.commit();
    second.callTool("read");
    await second.commit();
    over.callTool("read");
    await over.commit();
    await store.registry.endRun(over.runId, { state: "failed", error: toFaultData(fault("internal", "x")) }, true, AT);
    await store.registry.settleCall({ runId: first.runId, callId: calls[1] ?? 0 }, YES);
    const registry = await store.restart();
    const page = await registry.pendingToolCalls(undefined, 1);
    const args = { server: "files", tool: "read", args: { path: "a" } };
    expect(page).toMatchObject([{ runId: first.runId, callId: calls[0], args }]);
    expect(await registry.pendingToolCalls(undefined, 10, second.runId)).toMatchObject([{ runId: second.runId }]);
    const rest = await registry.pendingToolCalls(page[0]?.place, 10);
    expect(rest.map(({ runId }) => runId)).toEqual([second.runId]);
    expect(await registry.pendingToolCalls(rest[0]?.place, 10)).toEqual([]);
  });

  test("late, duplicate and foreign answers change nothing and are counted", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const callId = run.waitForEvent("deployed");
    const { childId, callId: ofChild } = run.ask();
    const asleep = run.sleep(1_000);
    await run.commit();
    const { runId } = run;
    expect((await registry.settleCall({ runId, callId }, YES)).applied).toBe(true);
    const foreign = [
      { runId, callId },
      { runId, callId: ofChild },
      { runId, callId: asleep },
      { runId, callId: 99 },
      { runId: "run_unknown", callId },
    ];
    for (const call of foreign) {
      expect(await registry.settleCall(call, { ok: true, payload: "2" })).toEqual({ applied: false, runIds: [] });
    }
    expect(registry.counters().staleSettlements).toBe(foreign.length);
    expect(await run.answers()).toMatchObject([{ callId, ...YES }]);
    await run.consume();
    expect((await registry.settleCall({ runId, callId }, YES)).applied).toBe(false);
    await registry.completeChild(ended(childId));
    await run.consume({ outcome: { state: "done", result: "1" } });
    expect((await registry.settleCall({ runId, callId: asleep }, YES)).applied).toBe(false);
  });

  test("of an answer and the time-out the first one counts, whichever it is", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [answered, late] = [run.waitForEvent("first", 1_000), run.waitForEvent("second", 1_000)];
    expect((await run.commit()).earliestDueAt).toBe(AT + 1_000);
    await registry.settleCall({ runId: run.runId, callId: answered }, YES);
    expect(await registry.fireTimers(AT + 1_000, 10)).toMatchObject({ wake: [run.runId], earliestDueAt: null });
    expect((await registry.settleCall({ runId: run.runId, callId: late }, YES)).applied).toBe(false);
    const [first, second] = await run.answers();
    expect(first).toMatchObject({ callId: answered, ...YES });
    expect(second).toMatchObject({ callId: late, ok: false });
    expect(JSON.parse(second?.payload ?? "")).toEqual({
      name: "TimeoutError",
      message: 'The event "second" did not come in time.',
      data: { code: "event_timeout", event: "second" },
    });
  });

  test("R-004 a restart keeps the call pending, with the time that it has left", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    const callId = run.waitForEvent("deployed", 5_000);
    await run.commit();
    const registry = await store.restart();
    run.goOn(registry);
    expect(await registry.recover(AT + 2_000)).toMatchObject({ readyRuns: [], earliestDueAt: AT + 5_000 });
    expect(await registry.pendingCalls(run.runId)).toMatchObject([{ callId, dueAt: AT + 5_000 }]);
    expect((await registry.settleCall({ runId: run.runId, callId }, YES)).runIds).toEqual([run.runId]);
    expect((await registry.fireTimers(AT + 6_000, 10)).wake).toEqual([]);
  });

  test("the end of a run ends its calls, and a quarantined run keeps the answer for its release", async () => {
    const { registry } = await open();
    const [stopped, held] = [await startRun(registry, 1), await startRun(registry, 2)];
    const calls = [stopped.waitForEvent("a", 1_000), held.waitForEvent("a")];
    await stopped.commit();
    await held.commit();
    const error = toFaultData(fault("run_stopped", "It was stopped."));
    await registry.endRun(stopped.runId, { state: "killed", error }, true, AT);
    await registry.endRun(held.runId, { state: "quarantined", error }, false, AT);
    expect((await registry.settleCall({ runId: stopped.runId, callId: calls[0] ?? 0 }, YES)).applied).toBe(false);
    expect((await registry.fireTimers(AT + 1_000, 10)).wake).toEqual([]);
    const settled = await registry.settleCall({ runId: held.runId, callId: calls[1] ?? 0 }, YES);
    expect(settled).toEqual({ applied: true, runIds: [] });
    await registry.releaseRun(held.runId, AT);
    expect(await registry.readyRuns("", 10)).toEqual([held.runId]);
    expect(await held.answers()).toMatchObject([{ callId: calls[1], ...YES }]);
  });
}
