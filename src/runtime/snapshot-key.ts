// The key that seals snapshots: made once, outside the database, readable by its owner alone.

import { createHmac } from "node:crypto";
import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { randomKey } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import type { Registry } from "../registry/port.ts";
import { asStorageFault, makeDataDir } from "./data-dir.ts";

const KEY_BYTES = 32;
const KEY_FILE = "snapshot.key";
const FINGERPRINT_SETTING = "snapshot key fingerprint";
const DATABASE_FILE = "quickswarm.db";

/**
 * Reads the key of a data directory, or makes it for a new one.
 * @throws Fault `storage_io`, `storage_full`; `database_damaged` when a database is there without its key, or the key has another length
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
  makeDataDir(dataDir);
  const key = randomKey(KEY_BYTES);
  try {
    writeKey(path, key);
  } catch (error) {
    throw asStorageFault(error, `writing ${KEY_FILE}`);
  }
  return key;
}

/**
 * Holds the key against the database that it belongs to, which keeps a fingerprint of it: with a wrong key each run
 * would fail as damaged when it wakes, and stay so when the right key is back.
 * @throws Fault `database_damaged`
 */
export async function holdKeyTo(registry: Registry, key: Uint8Array, at: number): Promise<void> {
  const fingerprint = createHmac("sha256", key).update(FINGERPRINT_SETTING).digest("hex");
  const known = await registry.setting(FINGERPRINT_SETTING);
  if (known === undefined) return registry.putSetting(FINGERPRINT_SETTING, JSON.stringify(fingerprint), at);
  if (known === JSON.stringify(fingerprint)) return;
  throw fault("database_damaged", `${KEY_FILE} is not the key of this database; nothing was touched.`, {
    next: `Put the ${KEY_FILE} back that belongs to it (it is saved beside each backup), or use a new data directory.`,
  });
}

function writeKey(path: string, key: Uint8Array): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, key);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A backup without the key could not be resumed from. */
export function copySnapshotKey(dataDir: string, backupPath: string): void {
  const target = `${backupPath}.key`;
  copyFileSync(join(dataDir, KEY_FILE), target);
  chmodSync(target, 0o600);
}
