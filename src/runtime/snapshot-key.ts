// The key that seals snapshots: made once, outside the database, readable by its owner alone.

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { randomKey } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";

const KEY_BYTES = 32;
const KEY_FILE = "snapshot.key";
const DATABASE_FILE = "quickswarm.db";

/**
 * Reads the key of a data directory, or makes it for a new one.
 * @throws Fault `database_damaged` when a database is there without its key, or the key has another length
 */
export function snapshotKey(dataDir: string): Uint8Array {
  const path = join(dataDir, KEY_FILE);
  if (existsSync(path)) {
    const key = readFileSync(path);
    if (key.length !== KEY_BYTES)
      throw fault("database_damaged", `${KEY_FILE} has ${key.length} bytes instead of ${KEY_BYTES}.`);
    return key;
  }
  if (existsSync(join(dataDir, DATABASE_FILE))) {
    throw fault(
      "database_damaged",
      `The data directory has a database but no ${KEY_FILE}; its snapshots cannot be checked.`,
      {
        next: `Put ${KEY_FILE} back from a backup (it is saved beside each backup), or use a new data directory.`,
      },
    );
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = randomKey(KEY_BYTES);
  const file = openSync(path, "wx", 0o600);
  writeSync(file, key);
  fsyncSync(file);
  closeSync(file);
  return key;
}

/** A backup without the key could not be resumed from. */
export function copySnapshotKey(dataDir: string, backupPath: string): void {
  const target = `${backupPath}.key`;
  copyFileSync(join(dataDir, KEY_FILE), target);
  chmodSync(target, 0o600);
}
