// The only door to SQLite: loads better-sqlite3, checks its library, opens connections.
// Loaded by a dynamic import, so that a missing native binary is a clean fault.

import type BetterSqlite from "better-sqlite3";
import { fault } from "../contract/fault.ts";

export type Connection = BetterSqlite.Database;
export type Driver = typeof BetterSqlite;

export type Value = string | number | null | Uint8Array;

/** A prepared statement, as far as it is used here. */
export interface Query<Row = unknown> {
  run(...values: Value[]): { changes: number; lastInsertRowid: number | bigint };
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  iterate(...values: Value[]): IterableIterator<Row>;
}

/** Older libraries can lose a WAL in a rare race of checkpoints. */
export const SQLITE_VERSION_MIN = "3.51.3";

/** Pages that the WAL holds before SQLite moves them into the database file. */
const WAL_CHECKPOINT_PAGES = 4_000;
/** The WAL file is cut back to this size after a checkpoint. */
const WAL_FILE_BYTES_MAX = 64 * 1024 * 1024;
const CACHE_KIB = 32 * 1024;

/** Throws `native_module_missing` when the driver, its binary or a new enough library is not there. */
export async function loadDriver(
  load: () => Promise<{ default: Driver }> = () => import("better-sqlite3"),
  versionMin: string = SQLITE_VERSION_MIN,
): Promise<Driver> {
  let driver: Driver;
  let version: string;
  try {
    driver = (await load()).default;
    const probe = new driver(":memory:");
    version = String(probe.prepare("SELECT sqlite_version()").pluck().get());
    probe.close();
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
    throw fault("native_module_missing", `better-sqlite3 could not be loaded: ${message}`, { cause: error });
  }
  if (compareVersions(version, versionMin) < 0) {
    throw fault("native_module_missing", `SQLite is ${version}; at least ${versionMin} is needed.`, {
      details: { version, versionMin },
    });
  }
  return driver;
}

export function openWriter(driver: Driver, path: string, pagesMax: number | undefined): Connection {
  const connection = new driver(path, { fileMustExist: true, timeout: 0 });
  connection.pragma("journal_mode = WAL");
  connection.pragma("synchronous = FULL");
  connection.pragma("foreign_keys = ON");
  connection.pragma("trusted_schema = OFF");
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  connection.pragma(`wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`);
  connection.pragma(`journal_size_limit = ${WAL_FILE_BYTES_MAX}`);
  if (pagesMax !== undefined) connection.pragma(`max_page_count = ${pagesMax}`);
  return connection;
}

/** Sees committed state only (L9), and cannot write. */
export function openReader(driver: Driver, path: string): Connection {
  const connection = new driver(path, { fileMustExist: true, readonly: true, timeout: 0 });
  connection.pragma("query_only = ON");
  connection.pragma("trusted_schema = OFF");
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  return connection;
}

/** A prepared statement with the type of its rows. */
export function query<Row = unknown>(connection: Connection, sql: string): Query<Row> {
  return connection.prepare<unknown[], Row>(sql);
}

/** A prepared statement whose rows are the values of their one column. */
export function column<Entry>(connection: Connection, sql: string): Query<Entry> {
  return connection.prepare<unknown[], Entry>(sql).pluck() as unknown as Query<Entry>;
}

function compareVersions(left: string, right: string): number {
  const a = left.split(".").map(Number);
  const b = right.split(".").map(Number);
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
