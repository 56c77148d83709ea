// What is no longer needed is not only invisible: its rows are gone.

import { expect, test } from "vitest";
import { AT, detached, detachedIdOf, ended, snapshotOf, startRun } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, openFor, withSqlite } from "./files.ts";

/** Rows of each table that holds any, but for those of the database itself. */
function rowsOf(dataDir: string): { [table: string]: number } {
  return withSqlite(databaseOf(dataDir), (database) => {
    const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all().map(String);
    const own = names.filter((name) => !["migrations", "fence"].includes(name) && !name.startsWith("sqlite_"));
    const count = (name: string): number => Number(database.prepare(`SELECT count(*) FROM ${name}`).pluck().get());
    return Object.fromEntries(own.map((name) => [name, count(name)]).filter(([, rows]) => rows !== 0));
  });
}

test("a full snapshot leaves no row of the chain that it replaced", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir);
  const run = await startRun(registry);
  for (let turn = 1; turn <= 5; turn += 1) await run.commit();
  await run.commit({ snapshot: snapshotOf(run.runId, 6, 2) });
  await run.commit();
  await registry.close();
  expect(rowsOf(dataDir).snapshots).toBe(4);
  const again = await openFor(dataDir);
  run.goOn(again);
  await run.commit({ snapshot: snapshotOf(run.runId, 8, null) });
  await again.close();
  expect(rowsOf(dataDir).snapshots).toBe(1);
});

test("a run that ended leaves no snapshot, call, wait or timer", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir);
  const run = await startRun(registry);
  const children = [run.spawn(), run.spawn()];
  run.waitAny(children, 1_000);
  for (const childId of [...children, ...children]) run.waitOne(childId);
  run.sleep(5_000);
  await run.commit();
  await registry.completeChild(ended(children[0] ?? ""));
  await run.end();
  await registry.close();
  const kept = rowsOf(dataDir);
  expect(Object.keys(kept).sort()).toEqual([
    "children",
    "events",
    "groups",
    "run_inputs",
    "runs",
    "sessions",
    "sources",
  ]);
});

test("consumed answers leave no call behind, however long a run goes on", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir);
  const run = await startRun(registry);
  for (let turn = 1; turn <= 10; turn += 1) {
    const { childId } = run.ask();
    await run.consume();
    await registry.completeChild(ended(childId));
  }
  run.sleep(1);
  await run.consume();
  await registry.fireTimers(AT + 1, 10);
  await registry.close();
  expect(rowsOf(dataDir)).toMatchObject({ calls: 1, children: 10 });
  expect(rowsOf(dataDir).timers).toBeUndefined();
});

test("S-017 an archived group leaves a line for itself and for its run, and nothing else", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir);
  const run = await startRun(registry, 1, { idempotencyKey: "k" });
  const session = { id: "ses", system: "s" };
  const asked = [run.ask({ prompt: "long ".repeat(1_000) }), run.ask({ options: { session } })];
  await run.commit({ notes: [{ kind: "log", level: "info", text: "note" }] });
  const groupId = `swarm:owner:${run.runId}`;
  const spawn = { ...detached(detachedIdOf(1), { groupId, admitted: true }), idempotencyKey: "c" };
  await registry.spawnDetached({ ...spawn, parentRunId: asked[0]?.childId ?? "" });
  for (const childId of [...asked.map((ask) => ask.childId), detachedIdOf(1)]) {
    await registry.recordStep(childId, 1, "{}", AT);
    await registry.completeChild(ended(childId));
  }
  await run.consume({ outcome: { state: "done", result: '"x"' } });
  expect(await registry.archiveGroups(AT + 1, AT, 10)).toEqual([groupId]);
  await registry.close();
  expect(rowsOf(dataDir)).toEqual({ events: 1, groups: 1, idempotency: 1, run_inputs: 1, runs: 1, sessions: 1 });
});

test("R-008 an archived run that kept turns leaves no point, no past call and no snapshot", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir);
  const run = await startRun(registry);
  for (let turn = 1; turn <= 5; turn += 1) {
    run.sleep(1_000);
    await registry.fireTimers(AT + 1_000, 10);
    const snapshot = snapshotOf(run.runId, turn, turn === 1 || turn === 4 ? null : turn - 1);
    await run.consume({ keepHistoryTurns: 3, snapshot });
  }
  await run.end();
  await registry.archiveGroups(AT + 1, AT + 1, 10);
  await registry.close();
  const kept = rowsOf(dataDir);
  expect([kept.points, kept.past_calls, kept.snapshots, kept.calls]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
