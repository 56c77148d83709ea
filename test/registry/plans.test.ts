// No statement of the hot path, of recovery or of the sweep reads a whole table that grows with history.

import { expect, test } from "vitest";
import { prepareArchiver } from "../../src/registry/archive.ts";
import { type Connection, loadDriver, openWriter } from "../../src/registry/driver.ts";
import { prepareStore } from "../../src/registry/store.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, openFor } from "./files.ts";

const GROWING =
  /\bSCAN (s|t|k|c|r|e|w|g|runs|children|calls|events|snapshots|steps|messages|timers|waits|groups)\b(.*)/;

/** A scan is fine when it is of a small partial index, or stops at the index's first entry. */
function isBounded(scan: string): boolean {
  return /USING (COVERING )?INDEX (runs_active|runs_fresh|groups_busy|calls_settled|children_queued)\b/.test(scan);
}

function plansOf(connection: Connection, sql: string): string[] {
  const values = [...sql.replace(/'[^']*'/g, "").matchAll(/\?/g)].map(() => null);
  const rows = connection.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return rows.map(({ detail }) => detail);
}

function sourcesIn(value: unknown): [string, string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => {
    const source = (entry as { source?: unknown } | null)?.source;
    return typeof source === "string" ? [[name, source]] : [];
  });
}

test("no statement of the writer scans a table that grows", async () => {
  const dataDir = tempDir();
  await (await openFor(dataDir)).close();
  const connection = openWriter(await loadDriver(), databaseOf(dataDir), undefined);
  try {
    const store = prepareStore(connection);
    const sources = [...Object.values(store), store, prepareArchiver(connection)].flatMap(sourcesIn);
    expect(sources.length).toBeGreaterThan(60);
    const scans = sources.flatMap(([name, sql]) =>
      plansOf(connection, sql)
        .filter((detail) => GROWING.test(detail) && !isBounded(detail))
        .map((detail) => `${name}: ${detail}`),
    );
    expect(scans).toEqual([]);
  } finally {
    connection.close();
  }
});
