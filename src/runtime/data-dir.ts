// The data directory, made step by step: Node's recursive mkdir never ends on some file systems that
// refuse new folders, and its errors do not say what to do (I-005).

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fault, isFault } from "../contract/fault.ts";

const PRIVATE_FOLDER_MODE = 0o700;

/** Makes the folder and its missing parents, for its owner alone. @throws Fault `storage_io` */
export function makeDataDir(dataDir: string): void {
  const missing: string[] = [];
  for (let path = dataDir; !isFolder(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) makeFolder(path);
}

function isFolder(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw refused(codeOf(error));
  }
  throw refused("ENOTDIR");
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER_MODE });
  } catch (error) {
    // Another start was faster.
    if (codeOf(error) !== "EEXIST") throw refused(codeOf(error));
  }
}

function refused(code: string): Error {
  return fault("storage_io", `The data directory cannot be made (${code}).`, {
    next: "Name a folder that can be written with --data.",
  });
}

/** A refused write beside the database as a Fault; faults stay what they are. */
export function asStorageFault(error: unknown, doing: string): unknown {
  const code = codeOf(error);
  if (isFault(error) || !/^E[A-Z]+$/.test(code)) return error;
  if (code === "ENOSPC" || code === "EDQUOT")
    return fault("storage_full", `The disk is full: ${doing} failed (${code}).`);
  return fault("storage_io", `${doing} failed (${code}).`, { next: "Check that the data directory can be written." });
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}
