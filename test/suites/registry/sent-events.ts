// Contract: an event that is sent to a run reaches the oldest wait for it, or is kept in order until one comes.

import { expect, test } from "vitest";
import { fault, toFaultData } from "../../../src/contract/fault.ts";
import { EVENTS_KEPT_PER_NAME_MAX, EVENTS_KEPT_PER_RUN_MAX } from "../../../src/contract/limits.ts";
import type { EventKept } from "../../../src/registry/people-port.ts";
import type { Registry } from "../../../src/registry/port.ts";
import { AT, codeOf, type OpenStore, OWNER, STRANGER, startRun } from "./builders.ts";

function send(registry: Registry, runId: string, payload: string, name = "built"): Promise<EventKept> {
  return registry.sendEvent({ runId, viewer: OWNER, name, payload, at: AT });
}

export function eventsChapter(open: OpenStore): void {
  test("G-009 an event answers the oldest wait for its name, one event a wait", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [first, second] = [run.waitForEvent("built"), run.waitForEvent("built")];
    run.waitForEvent("other");
    await run.commit();
    expect(await send(registry, run.runId, '{"n":1}')).toEqual({ applied: true, runIds: [run.runId], kept: 0 });
    expect((await run.answers()).map(({ callId }) => callId)).toEqual([first]);
    await send(registry, run.runId, '{"n":2}');
    expect(await run.consume()).toMatchObject([
      { callId: first, ok: true, payload: '{"n":1}' },
      { callId: second, ok: true, payload: '{"n":2}' },
    ]);
    expect(await registry.pendingCalls(run.runId)).toMatchObject([{ method: "waitForEvent", event: "other" }]);
  });

  test("G-009 events that come before the script waits are kept in order, over a restart, and taken one by one", async () => {
    const store = await open();
    const run = await startRun(store.registry);
    expect(await send(store.registry, run.runId, "1")).toEqual({ applied: false, runIds: [], kept: 1 });
    expect((await send(store.registry, run.runId, "2")).kept).toBe(2);
    await send(store.registry, run.runId, '"of another name"', "tested");
    const registry = await store.restart();
    run.goOn(registry);
    const calls = [run.waitForEvent("built"), run.waitForEvent("built"), run.waitForEvent("built", 1_000)];
    expect(await run.commit()).toMatchObject({ wake: true, pendingCalls: 1 });
    expect((await run.consume()).map(({ callId, payload }) => [callId, payload])).toEqual([
      [calls[0], "1"],
      [calls[1], "2"],
    ]);
    expect((await send(registry, run.runId, "3")).applied).toBe(true);
    expect(await run.answers()).toMatchObject([{ callId: calls[2], payload: "3" }]);
    expect((await registry.fireTimers(AT + 1_000, 10)).wake).toEqual([]);
  });

  test("G-009 a wait whose time is over is refused, and an event that comes later is kept for the next wait", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    run.waitForEvent("built", 1_000);
    await run.commit();
    await registry.fireTimers(AT + 1_000, 10);
    expect(await send(registry, run.runId, "1")).toMatchObject({ applied: false, kept: 1 });
    expect(await run.consume()).toMatchObject([{ ok: false }]);
    const callId = run.waitForEvent("built", 0);
    await run.commit();
    expect(await run.answers()).toMatchObject([{ callId, ok: true, payload: "1" }]);
  });

  test("S-014 an event for an unknown run or another's is not_found, and for an ended one wrong_state", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const event = { name: "built", payload: "1", at: AT };
    expect(await codeOf(registry.sendEvent({ runId: "run_x", viewer: OWNER, ...event }))).toBe("not_found");
    expect(await codeOf(registry.sendEvent({ runId: run.runId, viewer: STRANGER, ...event }))).toBe("not_found");
    await send(registry, run.runId, "1");
    await run.end();
    await expect(send(registry, run.runId, "2")).rejects.toMatchObject({
      code: "wrong_state",
      details: { state: "done" },
    });
  });

  test("a quarantined run keeps what is sent to it for its release", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const callId = run.waitForEvent("built");
    await run.commit();
    const error = toFaultData(fault("run_quarantined", "It took the process down."));
    await registry.endRun(run.runId, { state: "quarantined", error }, false, AT);
    expect(await send(registry, run.runId, "1")).toMatchObject({ applied: true, runIds: [] });
    await registry.releaseRun(run.runId, AT);
    expect(await run.answers()).toMatchObject([{ callId, payload: "1" }]);
  });

  test("L10 so many events of one name are kept, and so many in all; one more is refused and changes nothing", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const names = EVENTS_KEPT_PER_RUN_MAX / EVENTS_KEPT_PER_NAME_MAX;
    for (let index = 0; index < EVENTS_KEPT_PER_NAME_MAX; index += 1) await send(registry, run.runId, String(index));
    await expect(send(registry, run.runId, "1")).rejects.toMatchObject({
      code: "event_inbox_full",
      details: { name: "built", kept: EVENTS_KEPT_PER_NAME_MAX, limit: EVENTS_KEPT_PER_NAME_MAX },
    });
    for (let index = EVENTS_KEPT_PER_NAME_MAX; index < EVENTS_KEPT_PER_NAME_MAX * names; index += 1) {
      await send(registry, run.runId, "1", `name-${Math.floor(index / EVENTS_KEPT_PER_NAME_MAX)}`);
    }
    await expect(send(registry, run.runId, "1", "late")).rejects.toMatchObject({
      code: "event_inbox_full",
      details: { kept: EVENTS_KEPT_PER_RUN_MAX },
    });
    const callId = run.waitForEvent("built");
    await run.commit();
    expect(await run.answers()).toMatchObject([{ callId, payload: "0" }]);
    expect((await send(registry, run.runId, "more")).kept).toBe(EVENTS_KEPT_PER_NAME_MAX);
  });

  test("an event that came for a wait which was given up meanwhile goes to the next wait, or back to the front", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const given = run.waitForEvent("built");
    await run.commit();
    await send(registry, run.runId, "1");
    await send(registry, run.runId, "2");
    run.giveUp(given);
    await run.consume();
    run.returnEvent("built", 1);
    await run.commit();
    const [first, second, third] = [run.waitForEvent("built"), run.waitForEvent("built"), run.waitForEvent("built")];
    run.returnEvent("built", { n: 3 });
    await run.commit();
    expect((await run.answers()).map(({ callId, payload }) => [callId, payload])).toEqual([
      [first, "1"],
      [second, "2"],
      [third, '{"n":3}'],
    ]);
  });

  test("a wait that was given up takes no event any more", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const given = run.waitForEvent("built", 1_000);
    await run.commit();
    run.giveUp(given);
    expect(await run.commit()).toMatchObject({ wake: true, pendingCalls: 0 });
    expect(await send(registry, run.runId, "1")).toMatchObject({ applied: false, kept: 1 });
    expect(await run.consume()).toMatchObject([{ callId: given, ok: false }]);
    expect((await registry.fireTimers(AT + 1_000, 10)).wake).toEqual([]);
  });

  test("a run that ends lets go of its events, and a last turn takes none", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await send(registry, run.runId, "1");
    run.waitForEvent("built");
    run.returnEvent("built", 2);
    await run.end();
    expect(await run.answers()).toEqual([]);
  });
}
