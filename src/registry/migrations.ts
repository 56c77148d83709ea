// Applies numbered migrations and pins them by hash: what a database was made with is what
// this program has, or it is refused. Newer databases are never written.

import { createHash } from "node:crypto";
import { fault } from "../contract/fault.ts";
import { type Connection, query } from "./driver.ts";
import type { Migration } from "./schema.ts";

interface AppliedRow {
  number: number;
  name: string;
  hash: string;
}

export function migrationHash(migration: Migration): string {
  return createHash("sha256").update(migration.sql).digest("hex");
}

export function newestNumber(migrations: readonly Migration[]): number {
  return migrations.reduce((newest, { number }) => Math.max(newest, number), 0);
}

export function newerFault(found: number, known: number): Error {
  return fault("database_newer", `The database has migration ${found}; this program knows ${known} at most.`, {
    details: { found, known },
  });
}

/** Migrations that are still to be applied. Throws `database_newer`, `database_damaged`; writes nothing. */
export function pendingMigrations(connection: Connection, migrations: readonly Migration[]): Migration[] {
  const has = query(connection, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").get();
  if (!has) throw fault("database_damaged", "The database has no table of migrations: it is not one of quickswarm's.");
  const applied = query<AppliedRow>(connection, "SELECT number, name, hash FROM migrations ORDER BY number").all();
  const newest = applied.at(-1)?.number ?? 0;
  const known = newestNumber(migrations);
  if (newest > known) throw newerFault(newest, known);
  for (const row of applied) {
    const own = migrations.find(({ number }) => number === row.number);
    if (own && migrationHash(own) === row.hash) continue;
    throw fault("database_damaged", `Migration ${row.number} (${row.name}) is not the one this program has.`, {
      details: { number: row.number, found: row.hash, expected: own ? migrationHash(own) : null },
    });
  }
  return migrations.filter(({ number }) => !applied.some((row) => row.number === number));
}

export function createMigrationTable(connection: Connection): void {
  connection.exec(
    "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
  );
}

/** Each migration in a transaction of its own: a crash leaves whole ones. */
export function applyMigrations(connection: Connection, pending: readonly Migration[], at: number): void {
  const record = query(connection, "INSERT INTO migrations (number, name, hash, applied_at) VALUES (?, ?, ?, ?)");
  for (const migration of pending) {
    connection
      .transaction(() => {
        connection.exec(migration.sql);
        record.run(migration.number, migration.name, migrationHash(migration), at);
        connection.pragma(`user_version = ${migration.number}`);
      })
      .immediate();
  }
}
