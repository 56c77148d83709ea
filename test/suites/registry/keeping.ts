// Contract: archiving, images, settings.

import { expect, test } from "vitest";
import {
  AT,
  detached,
  detachedIdOf,
  ended,
  newRun,
  OPERATOR,
  type OpenStore,
  OWNER,
  PAGE,
  startRun,
} from "./builders.ts";

export function keepingChapter(open: OpenStore): void {
  test("S-017 a group whose run and children ended is archived as one batch and keeps one line", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1, { name: "review", args: "[1]" });
    const children = [run.ask(), run.ask()];
    const session = { id: "ses_1", system: "s" };
    const third = run.ask({ options: { session } });
    await run.commit({ notes: [{ kind: "log", level: "info", text: "hello" }] });
    for (const { childId } of [...children, third]) await registry.recordStep(childId, 1, "{}", AT);
    await registry.completeChild(ended(children[0]?.childId ?? ""));
    await registry.completeChild(ended(children[1]?.childId ?? "", { status: "failed", error: "no" }));
    await registry.completeChild(ended(third.childId));
    await run.commit({ outcome: { state: "done", result: '"secret"' }, at: AT + 10 });
    const groupId = `swarm:owner:${run.runId}`;
    expect(await registry.archiveGroups(AT + 10, AT + 20, 10)).toEqual([]);
    expect(await registry.archiveGroups(AT + 11, AT + 20, 10)).toEqual([groupId]);
    expect(await registry.archiveGroups(AT + 11, AT + 20, 10)).toEqual([]);

    const group = await registry.group(groupId, OWNER);
    expect(group).toMatchObject({ archivedAt: AT + 20, total: 3, counts: { done: 2, failed: 1 }, phases: [] });
    expect(group?.summary).toBe("3 children: 2 done, 1 failed; runs: review (done)");
    const record = await registry.run(run.runId, OWNER);
    expect(record).toMatchObject({ state: "done", archivedAt: AT + 20, name: "review" });
    expect(record?.result).toBeUndefined();
    expect(await registry.childrenById([third.childId], OPERATOR)).toEqual([]);
    expect(await registry.steps(third.childId)).toEqual([]);
    expect(await registry.sessionHistory("ses_1")).toEqual([]);
    expect(await registry.notes(run.runId, 0, 10)).toEqual([]);
    expect(await registry.runForTurn(run.runId)).toBeUndefined();
    const events = await registry.eventsAfter(0, { viewer: OWNER }, 100);
    expect(events).toMatchObject([{ type: "group.archived", groupId, summary: group?.summary }]);
  });

  test("S-013 S-017 ids of an archived group are answered like unknown ones", async () => {
    const { registry } = await open();
    await registry.spawnDetached(detached(detachedIdOf(1), { admitted: true }));
    await registry.completeChild(ended(detachedIdOf(1)));
    expect(await registry.archiveGroups(AT + 1, AT + 1, 10)).toEqual(["detached"]);
    const run = await startRun(registry);
    run.waitAny([detachedIdOf(1)]);
    await run.commit();
    const [answer] = await run.answers();
    expect(JSON.parse(answer?.payload ?? "null")).toEqual({
      completed: [],
      pending: [],
      errors: [{ runId: detachedIdOf(1), error: "not_found" }],
    });
  });

  test("S-017 a group with an active run, a live child or a quarantined run is not archived", async () => {
    const { registry } = await open();
    const active = await startRun(registry, 1);
    active.sleep(1);
    await active.commit();
    const live = await startRun(registry, 2);
    live.spawn();
    await live.end();
    const held = await startRun(registry, 3);
    const error = { code: "run_quarantined", message: "", next: "" } as const;
    await registry.endRun(held.runId, { state: "quarantined", error }, false, AT);
    expect(await registry.archiveGroups(AT + 1_000, AT, 10)).toEqual([]);
    await registry.endRun(held.runId, { state: "killed", error }, true, AT);
    expect(await registry.archiveGroups(AT + 1_000, AT, 10)).toEqual([`swarm:owner:${held.runId}`]);
  });

  test("S-017 a group is kept while a run of another group has still to read an answer from it", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const { childId } = run.ask({ groupId: "shared" });
    await run.commit();
    await registry.completeChild(ended(childId));
    expect(await registry.archiveGroups(AT + 1, AT, 10)).toEqual([]);
    const answers = await run.consume();
    expect(answers).toMatchObject([{ ok: true, payload: '"the answer"' }]);
    expect(await registry.archiveGroups(AT + 1, AT, 10)).toEqual(["shared"]);
  });

  test("S-017 archiving is bounded by its limit, longest quiet first", async () => {
    const { registry } = await open();
    for (const number of [1, 2, 3]) {
      const run = await startRun(registry, number);
      await run.commit({ outcome: { state: "done", result: "1" }, at: AT + number });
    }
    expect(await registry.archiveGroups(AT + 100, AT, 2)).toHaveLength(2);
    expect(await registry.archiveGroups(AT + 100, AT, 2)).toHaveLength(1);
  });

  test("S-004 a spawn into an archived group brings it back with its lifetime count", async () => {
    const { registry } = await open();
    await registry.spawnDetached(detached(detachedIdOf(1), { admitted: true }));
    await registry.completeChild(ended(detachedIdOf(1)));
    await registry.archiveGroups(AT + 1, AT + 1, 10);
    await registry.spawnDetached(detached(detachedIdOf(2)));
    const group = await registry.group("detached", OWNER);
    expect(group).toMatchObject({ total: 2, counts: { queued: 1, done: 1 } });
    expect([group?.archivedAt, group?.summary]).toEqual([undefined, undefined]);
  });

  test("texts that two runs share stay until both are archived", async () => {
    const { registry } = await open();
    const [first, second] = [await startRun(registry, 1), await startRun(registry, 2)];
    await first.end();
    await registry.archiveGroups(AT + 1, AT, 10);
    expect((await registry.runForTurn(second.runId))?.sourceText).toBe(newRun(2).sourceText);
    await second.end();
    expect(await registry.archiveGroups(AT + 1, AT, 10)).toHaveLength(1);
    const third = await startRun(registry, 3);
    expect((await registry.runForTurn(third.runId))?.code).toBe(newRun(3).code);
  });

  test("R-007 an image is kept by its hash; storing it again changes nothing", async () => {
    const store = await open();
    const image = { imageHash: "h", engineHash: "e", controllerHash: "c", bytes: Buffer.from([1, 2, 3]) };
    await store.registry.putImage(image, AT);
    await store.registry.putImage({ ...image, bytes: Buffer.from([9]) }, AT);
    const registry = await store.restart();
    expect(await registry.image("h")).toEqual(image);
    expect(await registry.image("other")).toBeUndefined();
  });

  test("a setting is what was put last, also after a restart", async () => {
    const store = await open();
    await store.registry.putSetting("a", '{"x":1}', AT);
    await store.registry.putSetting("a", '{"x":2}', AT);
    const registry = await store.restart();
    expect(await registry.setting("a")).toBe('{"x":2}');
    expect(await registry.setting("b")).toBeUndefined();
  });

  test("an archived run is still listed, without what was freed", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await run.end({ state: "done", result: '"big"' });
    await registry.archiveGroups(AT + 1, AT + 2, 10);
    const { rows } = await registry.runs(OWNER, PAGE);
    expect(rows).toMatchObject([{ runId: run.runId, state: "done", archivedAt: AT + 2 }]);
  });
}
