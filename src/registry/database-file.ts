// The database file before SQLite works on it: is it there, is it ours, is it whole, is it newer.
// A new one is built under another name, synced and renamed, so that the file is absent or complete.
// A file that is refused has not been touched.

import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fault } from "../contract/fault.ts";
import { type Driver, openReader } from "./driver.ts";
import { applyMigrations, createMigrationTable, newerFault, newestNumber, pendingMigrations } from "./migrations.ts";
import type { Migration } from "./schema.ts";

export const DATABASE_NAME = "quickswarm.db";
/** Marks the file as quickswarm's in SQLite's header. */
export const APPLICATION_ID = 0x51535741;
/** Only the owner may read what scripts and children wrote. */
export const FILE_MODE = 0o600;

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\u0000";

/** The path of a database that this program can open. Throws `database_newer`, `database_damaged`, storage faults. */
export function prepareDatabase(driver: Driver, dataDir: string, migrations: readonly Migration[], at: number): string {
  const path = join(dataDir, DATABASE_NAME);
  if (!existsSync(path)) {
    if (fileBytes(`${path}-wal`) > 0) {
      throw fault("database_damaged", `${DATABASE_NAME} is missing although its write-ahead log is there.`);
    }
    createDatabase(driver, path, migrations, at);
    return path;
  }
  checkHeader(path, newestNumber(migrations));
  const reader = openReader(driver, path);
  try {
    pendingMigrations(reader, migrations);
  } finally {
    reader.close();
  }
  return path;
}

/** Forces a file, or a folder's list of files, to the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function createDatabase(driver: Driver, path: string, migrations: readonly Migration[], at: number): void {
  const draft = `${path}.new`;
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(draft + end, { force: true });
  const connection = new driver(draft);
  try {
    chmodSync(draft, FILE_MODE);
    connection.pragma("synchronous = FULL");
    connection.pragma(`application_id = ${APPLICATION_ID}`);
    createMigrationTable(connection);
    applyMigrations(connection, migrations, at);
    connection.pragma("journal_mode = WAL");
  } finally {
    connection.close();
  }
  syncPath(draft);
  renameSync(draft, path);
  syncPath(dirname(path));
}

/** Reads the first 100 bytes only: opening with SQLite could already write next to the file. */
function checkHeader(path: string, known: number): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const handle = openSync(path, "r");
  let length: number;
  try {
    length = readSync(handle, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(handle);
  }
  if (length < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw fault("database_damaged", `${DATABASE_NAME} is not an SQLite database (${fileBytes(path)} bytes).`);
  }
  const version = header.readUInt32BE(60);
  const application = header.readUInt32BE(68);
  if (application !== APPLICATION_ID) {
    throw fault("database_damaged", `${DATABASE_NAME} is a database of another program.`, { details: { application } });
  }
  if (version > known) throw newerFault(version, known);
  checkLength(path, header);
}

/** A file that lost its tail; a WAL that holds pages may still have to grow it. */
function checkLength(path: string, header: Buffer): void {
  const stored = header.readUInt16BE(16);
  const expected = header.readUInt32BE(28) * (stored === 1 ? 65_536 : stored);
  const found = fileBytes(path);
  if (found >= expected || fileBytes(`${path}-wal`) > 0) return;
  throw fault("database_damaged", `${DATABASE_NAME} has ${found} bytes; its header says ${expected}.`, {
    details: { found, expected },
  });
}
