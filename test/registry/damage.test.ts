// Files that are not what they should be: refused with a typed fault, left as they are, and the lock is
// given back.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AT, codeOf, runIdOf, startRun } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, filesOf, hashOfFile, openFor, withSqlite } from "./files.ts";

async function refused(dataDir: string): Promise<string> {
  const before = filesOf(dataDir);
  const code = await codeOf(openFor(dataDir));
  expect(filesOf(dataDir)).toEqual(before);
  expect(existsSync(join(dataDir, "quickswarm.lock"))).toBe(false);
  return code;
}

async function filled(): Promise<string> {
  const dataDir = tempDir();
  const registry = await openFor(dataDir);
  for (let number = 1; number <= 50; number += 1) await startRun(registry, number, { args: `"${"x".repeat(20_000)}"` });
  await registry.close();
  return dataDir;
}

test("an empty file, a text and another program's database are no registry", async () => {
  const dataDir = tempDir();
  writeFileSync(databaseOf(dataDir), "");
  expect(await refused(dataDir)).toBe("database_damaged");
  writeFileSync(databaseOf(dataDir), "not a database ".repeat(100));
  expect(await refused(dataDir)).toBe("database_damaged");
  writeFileSync(databaseOf(dataDir), "");
  withSqlite(databaseOf(dataDir), (database) => database.exec("CREATE TABLE t (n INTEGER)"));
  expect(await refused(dataDir)).toBe("database_damaged");
});

test("a database that lost its tail is refused before it is opened", async () => {
  const dataDir = await filled();
  truncateSync(databaseOf(dataDir), statSync(databaseOf(dataDir)).size - 4_096);
  expect(await refused(dataDir)).toBe("database_damaged");
});

test("a database whose first page was overwritten is refused and its bytes stay as they were", async () => {
  const dataDir = await filled();
  const file = await open(databaseOf(dataDir), "r+");
  await file.write(Buffer.alloc(4_096 - 100, 0xff), 0, 4_096 - 100, 100);
  await file.close();
  const before = hashOfFile(databaseOf(dataDir));
  expect(await codeOf(openFor(dataDir))).toBe("database_damaged");
  expect(hashOfFile(databaseOf(dataDir))).toBe(before);
});

test("damage that is met later is a fault of the call that met it", async () => {
  const dataDir = await filled();
  const bytes = readFileSync(databaseOf(dataDir));
  for (let page = 0; page < bytes.length; page += 4_096) {
    const text = bytes.subarray(page + 1_000, page + 3_000);
    const ofTable = bytes[page] === 0x0d;
    // The link to the next page of a long text.
    if (!ofTable && text.every((byte) => byte === 0x78)) bytes.fill(0xff, page, page + 4);
  }
  writeFileSync(databaseOf(dataDir), bytes);
  const registry = await openFor(dataDir);
  expect(await codeOf(registry.runForTurn(runIdOf(1)))).toBe("database_damaged");
  await registry.putSetting("a", "1", AT);
  expect(await registry.setting("a")).toBe("1");
});

test("a write-ahead log without its database is not taken for a new database's", async () => {
  const dataDir = tempDir();
  writeFileSync(`${databaseOf(dataDir)}-wal`, "frames");
  expect(await refused(dataDir)).toBe("database_damaged");
});

test("what a crash left of a database that was being made is made anew", async () => {
  const dataDir = tempDir();
  writeFileSync(`${databaseOf(dataDir)}.new`, "half");
  writeFileSync(`${databaseOf(dataDir)}.new-journal`, "half");
  const registry = await openFor(dataDir);
  await startRun(registry);
  expect(readdirSync(dataDir).filter((name) => name.includes(".new"))).toEqual([]);
});

test("a data directory is made for its owner alone, with files that only the owner reads", async () => {
  const dataDir = join(tempDir(), "deep", "data");
  await openFor(dataDir);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(databaseOf(dataDir)).mode & 0o777).toBe(0o600);
  expect(statSync(`${databaseOf(dataDir)}-wal`).mode & 0o777).toBe(0o600);
});

test("a data directory that cannot be made is a fault of the storage", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(await codeOf(openFor(join(file, "data")))).toBe("storage_io");
  const dataDir = tempDir();
  mkdirSync(databaseOf(dataDir));
  expect(await codeOf(openFor(dataDir))).toBe("storage_io");
});
