// What an attacker who can write to the database could do to a parked run's snapshots; only while the
// gateway is down.

import { join } from "node:path";
import Database from "better-sqlite3";
import type { Damage } from "./script.ts";

interface SnapshotRow {
  n: number;
  bytes: Buffer;
}

const DAMAGES: { [kind in Damage]: (newest: SnapshotRow, others: Others) => Buffer | null } = {
  flip: ({ bytes }) => {
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  },
  cut: ({ bytes }) => bytes.subarray(0, bytes.length >> 1),
  empty: () => Buffer.alloc(0),
  foreign: (_newest, { foreign }) => foreign.bytes,
  older: (_newest, { older }) => older.bytes,
  delete: () => null,
};

interface Others {
  foreign: SnapshotRow;
  older: SnapshotRow;
}

/** Damages the newest snapshot of `runId`; `foreignRunId` is another parked run. */
export function damageSnapshots(dataDir: string, damage: Damage, runId: string, foreignRunId: string): void {
  const database = new Database(join(dataDir, "quickswarm.db"), { fileMustExist: true });
  try {
    const rows = snapshotsOf(database, runId);
    const [newest, older = newest] = rows;
    const [foreign = newest] = snapshotsOf(database, foreignRunId);
    if (!newest || !older || !foreign) throw new RangeError(`${runId} has no snapshot to damage`);
    if (damage === "older" && older === newest) throw new RangeError(`${runId} has no older snapshot`);
    const bytes = DAMAGES[damage](newest, { foreign, older });
    if (bytes === null) database.prepare("DELETE FROM snapshots WHERE n = ?").run(newest.n);
    else database.prepare("UPDATE snapshots SET bytes = ? WHERE n = ?").run(bytes, newest.n);
  } finally {
    database.close();
  }
}

/** Newest first. */
function snapshotsOf(database: Database.Database, runId: string): SnapshotRow[] {
  const query = `SELECT s.n AS n, s.bytes AS bytes FROM snapshots s JOIN runs r ON r.n = s.run_n
    WHERE r.run_id = ? ORDER BY s.turn DESC`;
  return database.prepare(query).all(runId) as SnapshotRow[];
}
