// Contract: who sees what. Absent and foreign answer the same, everywhere.

import { expect, test } from "vitest";
import { childSessionKey } from "../../../src/contract/ids.ts";
import type { Registry } from "../../../src/registry/port.ts";
import type { Viewer } from "../../../src/registry/readers-port.ts";
import { detached, detachedIdOf, OPERATOR, type OpenStore, OWNER, PAGE, STRANGER, startRun } from "./builders.ts";

const GROUP = "swarm:owner:group";

/** What a viewer is shown of one run, its child and its group, by every reader. */
async function shown(registry: Registry, viewer: Viewer, runId: string, childId: string): Promise<unknown[]> {
  return [
    (await registry.run(runId, viewer)) !== undefined,
    (await registry.runs(viewer, PAGE)).rows.length,
    (await registry.children(viewer, { runId }, PAGE)).rows.length,
    (await registry.childrenById([childId], viewer)).length,
    (await registry.group(GROUP, viewer)) !== undefined,
    (await registry.groups(viewer, PAGE)).rows.length,
    (await registry.eventsAfter(0, { viewer, runId }, 100)).length,
    (await registry.eventsAfter(0, { viewer }, 100)).length,
  ];
}

const EVERYTHING = [true, 1, 1, 1, true, 1, 3, 3];
const NOTHING = [false, 0, 0, 0, false, 0, 0, 0];

export function ownershipChapter(open: OpenStore): void {
  test("S-014 a session sees its own runs, children, groups and events, and so does the operator", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1, { groupId: GROUP });
    const childId = run.spawn();
    await run.commit();
    expect(await shown(registry, OWNER, run.runId, childId)).toEqual(EVERYTHING);
    expect(await shown(registry, OPERATOR, run.runId, childId)).toEqual(EVERYTHING);
  });

  test("S-014 a stranger is shown of existing ids exactly what it is shown of ids that do not exist", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1, { groupId: GROUP });
    const childId = run.spawn();
    await run.commit();
    expect(await shown(registry, STRANGER, run.runId, childId)).toEqual(NOTHING);
    expect(await shown(registry, STRANGER, "run_none", "agt_none")).toEqual(NOTHING);
  });

  test("S-014 the parent session of a run sees it as well; a session beside it does not", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1, { groupId: GROUP, parentSessionKey: "parent" });
    const childId = run.spawn();
    await run.commit();
    await startRun(registry, 2, { sessionKey: "sibling", parentSessionKey: "parent" });
    const parent = { sessionKey: "parent", all: false };
    expect((await shown(registry, parent, run.runId, childId)).slice(2, 7)).toEqual(
      EVERYTHING.slice(2, 5).concat(2, 3),
    );
    const sibling = { sessionKey: "sibling", all: false };
    expect(await registry.run(run.runId, sibling)).toBeUndefined();
    expect(await registry.childrenById([childId], sibling)).toEqual([]);
  });

  test("S-014 what a child spawns is seen by the child and by all above it, and by no other child", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    const [spawner, other] = [run.spawn(), run.spawn()];
    await run.commit();
    const sessionKey = childSessionKey(spawner);
    await registry.spawnDetached({ ...detached(detachedIdOf(1), { sessionKey }), parentRunId: spawner });
    const deeper = childSessionKey(detachedIdOf(1));
    const deepest = { ...detached(detachedIdOf(2), { sessionKey: deeper }), parentRunId: detachedIdOf(1) };
    await registry.spawnDetached(deepest);
    const ids = [detachedIdOf(1), detachedIdOf(2)];
    const seen = async (viewer: string): Promise<string[]> =>
      (await registry.childrenById(ids, { sessionKey: viewer, all: false })).map(({ runId }) => runId);
    expect(await seen("owner")).toEqual(ids);
    expect(await seen(sessionKey)).toEqual(ids);
    expect(await seen(deeper)).toEqual(ids.slice(1));
    expect(await seen(childSessionKey(other))).toEqual([]);
    expect(await seen("stranger")).toEqual([]);
    const nested = await registry.children(OWNER, { runId: spawner }, PAGE);
    expect(nested.rows.map(({ runId }) => runId)).toEqual(ids.slice(0, 1));
  });

  test("S-014 groups of one name in two sessions are two groups with counts and limits of their own", async () => {
    const { registry } = await open();
    const groupLimits = { maxChildrenPerGroup: 1, maxTotalPerGroup: 1 };
    for (const [number, sessionKey] of ["owner", "stranger"].entries()) {
      const spawn = detached(detachedIdOf(number), { sessionKey });
      await registry.spawnDetached({ ...spawn, groupLimits });
    }
    expect(await registry.group("detached", OWNER)).toMatchObject({ sessionKey: "owner", total: 1 });
    expect(await registry.group("detached", STRANGER)).toMatchObject({ sessionKey: "stranger", total: 1 });
    const { rows } = await registry.children(OWNER, { groupId: "detached" }, PAGE);
    expect(rows.map(({ runId }) => runId)).toEqual([detachedIdOf(0)]);
  });

  test("S-014 sessions that name each other as parents do not make a loop", async () => {
    const { registry } = await open();
    await startRun(registry, 1, { sessionKey: "a", parentSessionKey: "b" });
    await startRun(registry, 2, { sessionKey: "b", parentSessionKey: "a" });
    const visible = async (sessionKey: string): Promise<number> =>
      (await registry.runs({ sessionKey, all: false }, PAGE)).rows.length;
    expect([await visible("b"), await visible("a")]).toEqual([2, 1]);
  });
}
