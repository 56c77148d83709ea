// Databases of other versions: newer ones are left as they are, older ones are brought up, and what a
// database was made with is what the program has.

import { expect, test } from "vitest";
import { prepareDatabase } from "../../src/registry/database-file.ts";
import { loadDriver } from "../../src/registry/driver.ts";
import { migrationHash } from "../../src/registry/migrations.ts";
import { MIGRATIONS, type Migration } from "../../src/registry/schema.ts";
import { codeOf, OWNER, PAGE, startRun } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, filesOf, hashOfFile, openFor, withSqlite } from "./files.ts";

const NEWEST = MIGRATIONS.length;
const NEXT: Migration = {
  number: NEWEST + 1,
  name: "a later release",
  sql: "CREATE TABLE later (n INTEGER PRIMARY KEY) STRICT",
};

/** The first release's: a change is a new migration and never an edit. */
const RELEASED = ["180eb01b9ae8b69f273158ff88705939b436c0bd2a800f7a2e404a8c5f256a46"];
const [FIRST] = MIGRATIONS;

async function storedRun(dataDir: string, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const registry = await openFor(dataDir, { migrations });
  await startRun(registry);
  await registry.close();
}

test("R-009 migrations that were released are never edited", () => {
  expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  expect(MIGRATIONS.slice(0, RELEASED.length).map(migrationHash)).toEqual(RELEASED);
});

test("R-009 a database with a newer version is refused and left untouched byte for byte", async () => {
  const dataDir = tempDir();
  await storedRun(dataDir);
  withSqlite(databaseOf(dataDir), (database) => database.pragma("user_version = 99"));
  const before = filesOf(dataDir);
  await expect(openFor(dataDir)).rejects.toMatchObject({
    code: "database_newer",
    details: { found: 99, known: NEWEST },
  });
  expect(filesOf(dataDir)).toEqual(before);
});

test("R-009 a database that a later release brought up is refused by this one and left untouched", async () => {
  const dataDir = tempDir();
  await storedRun(dataDir);
  const later = await openFor(dataDir, { migrations: [...MIGRATIONS, NEXT] });
  await later.close();
  const before = filesOf(dataDir);
  expect(await codeOf(openFor(dataDir))).toBe("database_newer");
  expect(filesOf(dataDir)).toEqual(before);
  await openFor(dataDir, { migrations: [...MIGRATIONS, NEXT] });
});

test("R-009 a newer version that the file's header does not tell yet is refused as well", async () => {
  const dataDir = tempDir();
  await storedRun(dataDir);
  withSqlite(databaseOf(dataDir), (database) =>
    database.exec("INSERT INTO migrations VALUES (777, 'a much later release', 'x', 0)"),
  );
  await expect(openFor(dataDir)).rejects.toMatchObject({ code: "database_newer", details: { found: 777 } });
});

test("R-009 an older database is brought up once and keeps what it had", async () => {
  const dataDir = tempDir();
  await storedRun(dataDir);
  for (let start = 0; start < 2; start += 1) {
    const registry = await openFor(dataDir, { migrations: [...MIGRATIONS, NEXT] });
    expect((await registry.runs(OWNER, PAGE)).rows).toHaveLength(1);
    await registry.close();
  }
  const applied = withSqlite(databaseOf(dataDir), (database) =>
    database.prepare("SELECT number FROM migrations ORDER BY number").pluck().all(),
  );
  expect(applied).toEqual([...MIGRATIONS, NEXT].map(({ number }) => number));
});

test("R-009 a database of the first release gets the later tables and keeps its runs", async () => {
  const dataDir = tempDir();
  const driver = await loadDriver();
  prepareDatabase(driver, dataDir, FIRST ? [FIRST] : [], 1);
  withSqlite(databaseOf(dataDir), (database) =>
    database.exec(`INSERT INTO sessions (n, session_key) VALUES (1, '${OWNER.sessionKey}');
      INSERT INTO groups (n, group_id, session_n, created_at) VALUES (1, 'g', 1, 1);
      INSERT INTO runs (n, run_id, session_n, group_n, state, created_at) VALUES (1, 'run_1', 1, 1, 'waiting', 1);
      INSERT INTO run_inputs (run_n, name, language, file_name, model, script_hash, limits)
        VALUES (1, 'old', 'js', 'old.js', 'm', 'h', '{}')`),
  );
  const registry = await openFor(dataDir);
  const [run] = (await registry.runs(OWNER, PAGE)).rows;
  expect(run).toMatchObject({ runId: "run_1", name: "old", state: "waiting" });
  expect(run?.spent).toBeUndefined();
  expect(await registry.runSpending("run_1")).toMatchObject({ tokens: 0, tokensLeft: null });
});

test("R-009 a database whose migration is not the program's is refused, naming it", async () => {
  const dataDir = tempDir();
  await storedRun(dataDir, [...MIGRATIONS, NEXT]);
  const edited = { ...NEXT, sql: `${NEXT.sql};` };
  const before = hashOfFile(databaseOf(dataDir));
  await expect(openFor(dataDir, { migrations: [...MIGRATIONS, edited] })).rejects.toMatchObject({
    code: "database_damaged",
    message: expect.stringContaining(`Migration ${NEXT.number} (a later release)`),
    details: { found: migrationHash(NEXT), expected: migrationHash(edited) },
  });
  expect(hashOfFile(databaseOf(dataDir))).toEqual(before);
});

test("R-009 a migration that fails leaves the database at the version it had", async () => {
  const dataDir = tempDir();
  await storedRun(dataDir);
  const broken = { ...NEXT, sql: "CREATE TABLE half (n INTEGER) STRICT; CREATE TABLE half (n INTEGER) STRICT" };
  expect(await codeOf(openFor(dataDir, { migrations: [...MIGRATIONS, broken] }))).toBe("internal");
  const registry = await openFor(dataDir);
  expect((await registry.runs(OWNER, PAGE)).rows).toHaveLength(1);
});
