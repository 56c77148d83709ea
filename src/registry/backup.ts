// A consistent copy while work goes on, by SQLite's backup API: a connection of its own holds one
// committed state, so that later commits neither enter the copy nor start it again. The copy appears
// under its name when it is whole and synced.

import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { fault, isFault } from "../contract/fault.ts";
import { FILE_MODE, fileBytes, syncPath } from "./database-file.ts";
import { type Driver, openReader } from "./driver.ts";
import { storageFault } from "./storage-fault.ts";

/** Pages copied between two looks at the event loop. */
const PAGES_PER_STEP = 500;

/** Bytes of the copy. Throws `bad_request` when the target exists, `storage_closed` when `stopped` says so. */
export async function backupTo(
  driver: Driver,
  databasePath: string,
  targetPath: string,
  stopped: () => boolean,
): Promise<number> {
  if (existsSync(targetPath)) {
    throw fault("bad_request", "The backup's target exists already.", { next: "Name a file that does not exist yet." });
  }
  const draft = `${targetPath}.partial`;
  rmSync(draft, { force: true });
  try {
    await copyPages(driver, databasePath, draft, stopped);
    chmodSync(draft, FILE_MODE);
    syncPath(draft);
    renameSync(draft, targetPath);
    syncPath(dirname(targetPath));
    return fileBytes(targetPath);
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof TypeError && !isFault(error)) throw fault("bad_request", error.message, { cause: error });
    throw storageFault(error, "making a backup");
  }
}

async function copyPages(driver: Driver, from: string, draft: string, stopped: () => boolean): Promise<void> {
  const connection = openReader(driver, from);
  try {
    connection.exec("BEGIN");
    connection.prepare("SELECT count(*) FROM migrations").get();
    await connection.backup(draft, {
      progress() {
        if (stopped()) throw fault("storage_closed", "The registry was closed during the backup.");
        return PAGES_PER_STEP;
      },
    });
  } finally {
    connection.close();
  }
}
