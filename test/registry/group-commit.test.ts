// One fsync for many writes, and each of them on its own: what is refused takes nobody along.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Fault } from "../../src/contract/fault.ts";
import type { OpenRegistryOptions } from "../../src/registry/open.ts";
import type { Registry } from "../../src/registry/port.ts";
import { OPERATIONS_PER_COMMIT_MAX } from "../../src/registry/writer.ts";
import { AT, codeOf, ended, newRun, OWNER, PAGE, type RunDriver, startRun } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, integrityOf, openFor, withSqlite } from "./files.ts";

const open = (more: Partial<OpenRegistryOptions> = {}): Promise<Registry> => openFor(tempDir(), more);

/** A run whose child has answered, with the turn that would consume the answer. */
async function answered(registry: Registry, number: number): Promise<RunDriver> {
  const run = await startRun(registry, number);
  const { childId } = run.ask();
  await run.commit();
  await registry.completeChild(ended(childId));
  return run;
}

/** Consumes what is there, changes rows, and is then refused. */
function refusedTurn(run: RunDriver): Promise<unknown> {
  const good = { callId: 2, settleNumber: 1 };
  return run.commit({ consumed: [good, { callId: 77, settleNumber: 9 }] });
}

test("writes of one moment share one commit", async () => {
  const registry = await open();
  const before = registry.counters();
  await Promise.all([1, 2, 3, 4, 5].map((number) => startRun(registry, number)));
  expect(registry.counters()).toMatchObject({ commits: before.commits + 1, operations: before.operations + 5 });
});

test("writes that wait for each other are committed one by one", async () => {
  const registry = await open();
  for (const number of [1, 2, 3]) await startRun(registry, number);
  expect(registry.counters().commits).toBe(3);
});

test("a write that is refused after it changed rows leaves nothing, and its neighbours all land", async () => {
  const registry = await open();
  const run = await answered(registry, 1);
  const parked = await startRun(registry, 2);
  const { childId } = parked.ask();
  const applied: string[] = [];
  const first = registry.commitTurn(parked.plan(), { onApplied: () => void applied.push("first") });
  const bad = codeOf(refusedTurn(run));
  const last = registry.createRun(newRun(3));
  const [committed, code] = await Promise.all([first, bad, last]);
  expect(code).toBe("stale_epoch");
  expect(committed.spawned).toEqual([childId]);
  expect(applied).toEqual(["first"]);
  expect(await run.answers()).toHaveLength(1);
  expect((await registry.runForTurn(run.runId))?.run.turn).toBe(1);
  expect((await registry.runs(OWNER, PAGE)).rows.map(({ turn }) => turn)).toEqual([0, 1, 1]);
});

test("neighbours of a refused write have the rows and numbers that they would have had without it", async () => {
  const tell = async (withRefused: boolean): Promise<unknown> => {
    const dataDir = tempDir();
    const registry = await openFor(dataDir);
    const run = await answered(registry, 1);
    const writes: Promise<unknown>[] = [registry.createRun(newRun(2))];
    if (withRefused) writes.push(codeOf(refusedTurn(run)));
    writes.push(registry.createRun(newRun(3)));
    if (withRefused) writes.push(codeOf(refusedTurn(run)));
    writes.push(registry.completeChild(ended("agt_none")));
    await Promise.all(writes);
    const events = await registry.eventsAfter(0, { viewer: OWNER }, 100);
    const { staleSettlements } = registry.counters();
    await registry.close();
    return { events, staleSettlements, runs: tableOf(dataDir, "runs"), calls: tableOf(dataDir, "calls") };
  };
  expect(await tell(true)).toEqual(await tell(false));
});

function tableOf(dataDir: string, table: string): unknown[] {
  return withSqlite(databaseOf(dataDir), (database) => database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all());
}

test("a commit that fails rejects every write of its batch, keeps none of them, and later ones go on", async () => {
  let full = false;
  const faults: Fault[] = [];
  const failurePoint = (name: string): void => {
    if (full && name === "beforeCommit") throw Object.assign(new Error("disk"), { code: "SQLITE_FULL" });
  };
  const registry = await open({ failurePoint, onFault: (fault) => void faults.push(fault) });
  const run = await answered(registry, 1);
  const seen: number[] = [];
  registry.onEvents((lastSeq) => void seen.push(lastSeq));
  full = true;
  const codes = await Promise.all([codeOf(run.consume()), codeOf(registry.createRun(newRun(2)))]);
  expect(codes).toEqual(["storage_full", "storage_full"]);
  expect(faults.map(({ code }) => code)).toEqual(["storage_full"]);
  expect(seen).toEqual([]);
  expect(await run.answers()).toHaveLength(1);
  expect((await registry.runs(OWNER, PAGE)).rows).toHaveLength(1);
  full = false;
  run.turn = 1;
  expect(await run.consume()).toHaveLength(1);
  expect(seen).toEqual([]);
  await startRun(registry, 2);
  expect(seen).toHaveLength(1);
});

test("a batch is bounded: the write that fills it commits it at once", async () => {
  const registry = await open();
  const before = registry.counters().commits;
  const writes = Array.from({ length: OPERATIONS_PER_COMMIT_MAX }, () => registry.putSetting("a", "1", AT));
  expect(registry.counters().commits).toBe(before + 1);
  await Promise.all(writes);
});

test("a commit waits for the write that was announced, and not longer than its bound", async () => {
  const registry = await open();
  const before = registry.counters().commits;
  const release = registry.hold();
  const first = registry.putSetting("a", "1", AT);
  await new Promise((resolve) => setImmediate(resolve));
  const second = registry.putSetting("b", "1", AT);
  release();
  await Promise.all([first, second]);
  expect(registry.counters().commits).toBe(before + 1);
  const forgotten = registry.hold();
  await registry.putSetting("c", "1", AT);
  forgotten();
});

test("a listener that throws is reported and harms neither the write nor the other listeners' commit", async () => {
  const faults: Fault[] = [];
  const registry = await open({ onFault: (fault) => void faults.push(fault) });
  registry.onEvents(() => {
    throw new Error("listener");
  });
  const onApplied = (): void => {
    throw new Error("hook");
  };
  const run = await startRun(registry, 1);
  await registry.commitTurn(run.plan(), { onApplied });
  expect(faults.map(({ code }) => code)).toEqual(["internal", "internal"]);
  expect((await registry.runForTurn(run.runId))?.run.turn).toBe(1);
});

test("R-010 a registry whose lock files were removed writes nothing any more once another one opened", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir);
  await startRun(registry, 1);
  for (const name of ["quickswarm.guard", "quickswarm.lock"]) rmSync(join(dataDir, name));
  const other = await openFor(dataDir, { owner: "the other" });
  expect(await codeOf(registry.createRun(newRun(2)))).toBe("database_locked");
  expect(await codeOf(registry.putSetting("a", "1", AT))).toBe("database_locked");
  await registry.close();
  expect(readFileSync(join(dataDir, "quickswarm.lock"), "utf8")).toContain("the other");
  await startRun(other, 3);
  expect((await other.runs(OWNER, PAGE)).rows).toHaveLength(2);
  await other.close();
  expect(integrityOf(databaseOf(dataDir))).toBe("ok");
});
