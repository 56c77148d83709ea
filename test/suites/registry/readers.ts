// Contract: readers, pages and events.

import { expect, test } from "vitest";
import { AT, codeOf, ended, OPERATOR, type OpenStore, OWNER, PAGE, runIdOf, startRun } from "./builders.ts";

export function readersChapter(open: OpenStore): void {
  test("runs are listed newest first in pages that neither repeat nor skip", async () => {
    const { registry } = await open();
    for (const number of [1, 2, 3, 4, 5]) await startRun(registry, number);
    const first = await registry.runs(OWNER, { limit: 2 });
    const second = await registry.runs(OWNER, { limit: 2, after: first.next });
    const third = await registry.runs(OWNER, { limit: 2, after: second.next });
    const ids = [first, second, third].map(({ rows }) => rows.map(({ runId }) => runId));
    expect(ids).toEqual([[runIdOf(5), runIdOf(4)], [runIdOf(3), runIdOf(2)], [runIdOf(1)]]);
    expect(third.next).toBeUndefined();
  });

  test("runs are listed by their state", async () => {
    const { registry } = await open();
    const [fresh, parked, done] = [
      await startRun(registry, 1),
      await startRun(registry, 2),
      await startRun(registry, 3),
    ];
    parked.sleep(9);
    await parked.commit();
    await done.end();
    const listed = async (state: "running" | "waiting" | "done" | "failed"): Promise<string[]> =>
      (await registry.runs(OWNER, PAGE, state)).rows.map(({ runId }) => runId);
    expect(await listed("running")).toEqual([fresh.runId]);
    expect(await listed("waiting")).toEqual([parked.runId]);
    expect(await listed("done")).toEqual([done.runId]);
    expect(await listed("failed")).toEqual([]);
  });

  test("a cursor that no page gave is refused", async () => {
    const { registry } = await open();
    expect(await codeOf(registry.runs(OWNER, { limit: 1, after: "1 OR 1=1" }))).toBe("bad_request");
    expect(await codeOf(registry.children(OWNER, {}, { limit: 1, after: "-1" }))).toBe("bad_request");
    expect(await codeOf(registry.groups(OWNER, { limit: 1, after: "" }))).toBe("bad_request");
  });

  test("a page is bounded in bytes as well, and goes on where it ended", async () => {
    const { registry } = await open();
    const text = "x".repeat(4_000_000);
    const run = await startRun(registry);
    const children = Array.from({ length: 6 }, () => run.spawn());
    await run.commit();
    for (const childId of children) await registry.completeChild(ended(childId, { text }));
    const first = await registry.children(OWNER, {}, PAGE);
    expect(first.rows).toHaveLength(5);
    const second = await registry.children(OWNER, {}, { ...PAGE, after: first.next });
    expect(second.rows.map(({ runId }) => runId)).toEqual(children.slice(5));
    expect(second.next).toBeUndefined();
  });

  test("S-018 children are listed in spawn order, by run, group and status", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [first, second] = [run.spawn(), run.spawn({ groupId: "shared" })];
    const third = run.spawn({ admitted: false });
    await run.commit();
    await registry.completeChild(ended(first));
    const list = async (filter: Parameters<typeof registry.children>[1]): Promise<string[]> =>
      (await registry.children(OWNER, filter, PAGE)).rows.map(({ runId }) => runId);
    expect(await list({ runId: run.runId })).toEqual([first, second, third]);
    expect(await list({ groupId: "shared" })).toEqual([second]);
    expect(await list({ runId: run.runId, status: "done" })).toEqual([first]);
    expect(await list({ status: "queued" })).toEqual([third]);
    expect(await list({ runId: runIdOf(9) })).toEqual([]);
    const page = await registry.children(OWNER, { runId: run.runId }, { limit: 2 });
    const rest = await registry.children(OWNER, { runId: run.runId }, { limit: 2, after: page.next });
    expect(rest.rows.map(({ runId }) => runId)).toEqual([third]);
  });

  test("counts of a run and of its group follow every change of its children", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [a, b, c, d] = [run.spawn({ admitted: false }), run.spawn(), run.spawn(), run.spawn()];
    await run.commit();
    await registry.claimChildren([a], AT);
    await registry.completeChild(ended(a, { status: "timeout" }));
    await registry.completeChild(ended(b, { status: "failed" }));
    await registry.cancelChild(c, "x", AT);
    await registry.requeueChild(d, 1, "x", AT);
    const counts = { queued: 1, running: 0, done: 0, failed: 1, killed: 1, timeout: 1 };
    expect(await registry.childCounts(run.runId)).toEqual(counts);
    expect((await registry.run(run.runId, OWNER))?.children).toEqual(counts);
    expect(await registry.group(`swarm:owner:${run.runId}`, OWNER)).toMatchObject({ counts, total: 4 });
    expect(await registry.childCounts(runIdOf(9))).toMatchObject({ queued: 0, done: 0 });
  });

  test("a group counts its children by phase", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const read = run.spawn({ options: { phase: "read" } });
    run.spawn({ options: { phase: "write" }, admitted: false });
    run.spawn({ options: { phase: "read" } });
    run.spawn();
    await run.commit();
    await registry.completeChild(ended(read));
    const group = await registry.group(`swarm:owner:${run.runId}`, OWNER);
    expect(group?.phases).toMatchObject([
      { phase: "read", counts: { running: 1, done: 1 } },
      { phase: "write", counts: { queued: 1 } },
    ]);
    expect((await registry.groups(OWNER, PAGE)).rows).toEqual([group]);
  });

  test("readers see nothing of a write before its promise resolves", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const childId = run.spawn();
    const writing = run.commit();
    expect(await registry.childrenById([childId], OWNER)).toEqual([]);
    expect(await registry.run(run.runId, OWNER)).toMatchObject({ turn: 0 });
    await writing;
    expect(await registry.childrenById([childId], OWNER)).toHaveLength(1);
    expect(await registry.run(run.runId, OWNER)).toMatchObject({ turn: 1 });
  });

  test("events tell a run's story in order, with what each says", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1, { name: "story" });
    const childId = run.spawn({ admitted: false, options: { label: "l", phase: "p" } });
    await run.commit({ notes: [{ kind: "log", level: "warn", text: "hm" }] });
    await registry.claimChildren([childId], AT + 1);
    await registry.requeueChild(childId, 1, "x", AT + 2);
    await registry.claimChildren([childId], AT + 3);
    await registry.completeChild(ended(childId, { attempt: 2, status: "failed", error: "broke", at: AT + 4 }));
    await registry.countResume(run.runId, AT + 5);
    const error = { code: "script_error", message: "m", next: "n" } as const;
    await run.commit({ outcome: { state: "failed", error }, at: AT + 6 });
    const events = await registry.eventsAfter(0, { viewer: OWNER, runId: run.runId }, 100);
    const base = { runId: run.runId, sessionKey: "owner", groupId: `swarm:owner:${run.runId}` };
    expect(events.map(({ seq, ...event }) => ({ ...event, seq: seq - (events[0]?.seq ?? 0) }))).toEqual([
      { ...base, seq: 0, at: AT, type: "run.created", name: "story" },
      { ...base, seq: 1, at: AT, type: "run.note", kind: "log", level: "warn", text: "hm", turn: 1 },
      { ...base, seq: 2, at: AT, type: "child.spawned", childId, label: "l", phase: "p", model: "offline:echo" },
      { ...base, seq: 3, at: AT + 1, type: "child.started", childId, attempt: 1 },
      { ...base, seq: 4, at: AT + 3, type: "child.started", childId, attempt: 2 },
      { ...base, seq: 5, at: AT + 4, type: "child.ended", childId, status: "failed", attempts: 2, error: "broke" },
      { ...base, seq: 6, at: AT + 5, type: "run.resumed", turn: 1 },
      { ...base, seq: 7, at: AT + 6, type: "run.ended", state: "failed", error },
    ]);
  });

  test("events are read on from any number, bounded, and by run", async () => {
    const { registry } = await open();
    for (const number of [1, 2, 3]) await startRun(registry, number);
    const all = await registry.eventsAfter(0, { viewer: OPERATOR }, 100);
    expect(all).toHaveLength(3);
    expect(await registry.lastEventSeq()).toBe(all[2]?.seq);
    expect(await registry.eventsAfter(all[0]?.seq ?? 0, { viewer: OPERATOR }, 1)).toEqual(all.slice(1, 2));
    expect(await registry.eventsAfter(0, { viewer: OPERATOR, runId: runIdOf(2) }, 100)).toEqual(all.slice(1, 2));
    expect(await registry.eventsAfter(all[2]?.seq ?? 0, { viewer: OPERATOR }, 100)).toEqual([]);
  });

  test("S-015 a listener is called once for each commit that appended events, when they can be read", async () => {
    const { registry } = await open();
    const seen: number[] = [];
    const end = registry.onEvents((lastSeq) => void seen.push(lastSeq));
    const runs = Promise.all([startRun(registry, 1), startRun(registry, 2)]);
    expect(seen).toEqual([]);
    await runs;
    expect(seen).toEqual([await registry.lastEventSeq()]);
    await registry.putSetting("a", "1", AT);
    expect(seen).toHaveLength(1);
    end();
    await startRun(registry, 3);
    expect(seen).toHaveLength(1);
  });

  test("event numbers never go back, not even when the newest events were archived", async () => {
    const store = await open();
    const run = await startRun(store.registry, 1);
    await run.end();
    await store.registry.archiveGroups(AT + 1, AT, 10);
    const before = await store.registry.lastEventSeq();
    const registry = await store.restart();
    await startRun(registry, 2);
    expect(await registry.lastEventSeq()).toBeGreaterThan(before);
  });
}
