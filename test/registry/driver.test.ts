// What SQLite is opened with, and what is said when it is not there.

import { expect, test } from "vitest";
import { loadDriver, openReader, openWriter } from "../../src/registry/driver.ts";
import { storageFault } from "../../src/registry/storage-fault.ts";
import { codeOf } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, openFor } from "./files.ts";

test("a missing package or binary is one fault that says what to do", async () => {
  const missing = loadDriver(() => Promise.reject(new Error("Could not locate the bindings file. Tried:\n → /a/b")));
  await expect(missing).rejects.toMatchObject({
    code: "native_module_missing",
    message: "better-sqlite3 could not be loaded: Could not locate the bindings file. Tried:",
    next: expect.stringContaining("npm rebuild better-sqlite3"),
  });
});

test("a library that is too old is refused with both versions", async () => {
  expect(await codeOf(loadDriver(undefined, "3.51.3"))).toBe("no fault");
  await expect(loadDriver(undefined, "99.0.0")).rejects.toMatchObject({
    code: "native_module_missing",
    details: { versionMin: "99.0.0" },
  });
});

test("the writer syncs each commit and checks references; the reader cannot write", async () => {
  const dataDir = tempDir();
  await (await openFor(dataDir)).close();
  const driver = await loadDriver();
  const writer = openWriter(driver, databaseOf(dataDir), undefined);
  const reader = openReader(driver, databaseOf(dataDir));
  try {
    const settings = ["journal_mode", "synchronous", "foreign_keys"];
    expect(settings.map((name) => writer.pragma(name, { simple: true }))).toEqual(["wal", 2, 1]);
    expect(() => reader.exec("DELETE FROM settings")).toThrow(/readonly|query_only/i);
    const loose = writer.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0").pluck();
    expect(loose.all().filter((name) => !String(name).startsWith("sqlite_"))).toEqual([]);
  } finally {
    reader.close();
    writer.close();
  }
});

test("errors of SQLite and of the file system become the faults of the storage", () => {
  const codes = [
    ["SQLITE_FULL", "storage_full"],
    ["ENOSPC", "storage_full"],
    ["SQLITE_IOERR_FSYNC", "storage_io"],
    ["SQLITE_READONLY", "storage_io"],
    ["EROFS", "storage_io"],
    ["SQLITE_CORRUPT_VTAB", "database_damaged"],
    ["SQLITE_NOTADB", "database_damaged"],
    ["SQLITE_BUSY", "database_locked"],
    ["SQLITE_CONSTRAINT", "internal"],
  ];
  const told = codes.map(([code]) => [
    code,
    storageFault(Object.assign(new Error("/secret/path"), { code }), "x").code,
  ]);
  expect(told).toEqual(codes);
  const full = storageFault(Object.assign(new Error("/secret/path"), { code: "ENOSPC" }), "writing");
  expect(full.message).not.toContain("/secret");
});
