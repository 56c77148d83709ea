// A backup while work goes on: one committed state, whole, and nothing in its place until it is.

import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Registry } from "../../src/registry/port.ts";
import { codeOf, ended, OWNER, startRun } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { integrityOf, openFor } from "./files.ts";

async function grown(): Promise<Registry> {
  const registry = await openFor(tempDir());
  const args = `"${"x".repeat(20_000)}"`;
  await Promise.all(Array.from({ length: 400 }, (_, index) => startRun(registry, index + 1, { args })));
  return registry;
}

test("a backup that is made while writes go on opens as a registry with one committed state", async () => {
  const registry = await grown();
  const run = await startRun(registry, 10_000);
  const copyDir = tempDir();
  const target = join(copyDir, "quickswarm.db");
  let copied = false;
  const backup = registry.backup(target).finally(() => {
    copied = true;
  });
  let turns = 0;
  while (!copied) {
    const { childId } = run.ask();
    await run.consume();
    await registry.completeChild(ended(childId));
    turns += 1;
  }
  expect(await backup).toBe(statSync(target).size);
  expect(turns).toBeGreaterThan(3);
  expect(integrityOf(target)).toBe("ok");
  expect(readdirSync(copyDir)).toEqual(["quickswarm.db"]);
  expect(statSync(target).mode & 0o777).toBe(0o600);
  const copy = await openFor(copyDir);
  const record = await copy.run(run.runId, OWNER);
  expect(record?.turn).toBeLessThan(turns);
  expect((await copy.notes(run.runId, 0, 10)).length).toBe(0);
  const { rows } = await copy.children(OWNER, { runId: run.runId }, { limit: 1_000 });
  expect(rows).toHaveLength(record?.turn ?? -1);
});

test("a backup has every write that was acknowledged before it began", async () => {
  const registry = await grown();
  const target = join(tempDir(), "quickswarm.db");
  await registry.putSetting("last", "1", 0);
  await registry.backup(target);
  const copy = await openFor(join(target, ".."));
  expect(await copy.setting("last")).toBe("1");
  expect((await copy.runs(OWNER, { limit: 1_000 })).rows).toHaveLength(400);
});

test("a backup does not replace a file that is there, nor go to a folder that is not", async () => {
  const registry = await openFor(tempDir());
  const target = join(tempDir(), "copy.db");
  writeFileSync(target, "precious");
  expect(await codeOf(registry.backup(target))).toBe("bad_request");
  expect(await codeOf(registry.backup(join(tempDir(), "none", "copy.db")))).toBe("bad_request");
});

test("a backup that is under way when the registry closes is given up and leaves no file", async () => {
  const registry = await grown();
  const folder = tempDir();
  const backup = codeOf(registry.backup(join(folder, "copy.db")));
  await registry.close();
  expect(await backup).toBe("storage_closed");
  expect(existsSync(join(folder, "copy.db"))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});
