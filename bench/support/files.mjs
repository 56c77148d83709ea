// Copies and sizes of data directories.

import { closeSync, cpSync, fsyncSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** A copy whose pages are on the disk already, so that the first fsync of its user does not pay for them. */
export function copySynced(from, to) {
  cpSync(from, to, { recursive: true });
  for (const file of filesUnder(to)) {
    const handle = openSync(file, "r+");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
}

export function bytesUnder(dir) {
  return filesUnder(dir).reduce((sum, file) => sum + statSync(file).size, 0);
}

function filesUnder(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}
