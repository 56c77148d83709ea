// One gateway per data directory. Two parts: the operating system's lock on a guard file,
// which ends with its process however that dies and which two takers cannot both get; and a file
// that tells who holds it. The second part is for people, and for file systems without locks.

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fault } from "../contract/fault.ts";
import type { Connection, Driver } from "./driver.ts";
import { errorCode, storageFault } from "./storage-fault.ts";

export const LOCK_NAME = "quickswarm.lock";
export const GUARD_NAME = "quickswarm.guard";

export interface LockHolder {
  owner: string;
  pid: number;
  /** Start of the process in the kernel's ticks, so that a reused pid is told apart; null where it cannot be read. */
  processStart: string | null;
  lockedAt: number;
}

export interface DirectoryLock {
  release(): void;
}

/** Throws `database_locked` naming the holder. What a dead process left is taken over. */
export function lockDirectory(driver: Driver, dataDir: string, owner: string, at: number): DirectoryLock {
  const lockPath = join(dataDir, LOCK_NAME);
  const guard = takeGuard(driver, dataDir, lockPath);
  const holder: LockHolder = { owner, pid: process.pid, processStart: processStart(process.pid), lockedAt: at };
  const text = `${JSON.stringify(holder)}\n`;
  try {
    const before = readHolder(lockPath);
    if (before && before.pid !== process.pid && stillThere(before)) throw lockedFault(before);
    writeFileSync(`${lockPath}.new`, text, { mode: 0o600 });
    renameSync(`${lockPath}.new`, lockPath);
  } catch (error) {
    guard.close();
    throw error;
  }
  return {
    release() {
      // Another gateway's name stays: somebody may have removed both files under us.
      if (textOf(lockPath) === text) rmSync(lockPath, { force: true });
      guard.close();
    },
  };
}

/** An exclusive transaction on an empty database that is never written. */
function takeGuard(driver: Driver, dataDir: string, lockPath: string): Connection {
  const guard = new driver(join(dataDir, GUARD_NAME), { timeout: 0 });
  try {
    guard.exec("BEGIN EXCLUSIVE");
    return guard;
  } catch (error) {
    guard.close();
    if (/^SQLITE_(BUSY|LOCKED)/.test(errorCode(error))) throw lockedFault(readHolder(lockPath));
    throw storageFault(error, "locking the data directory");
  }
}

function lockedFault(holder: LockHolder | undefined): Error {
  const who = holder ? `${holder.owner} with pid ${holder.pid}` : "a process that has not written its name yet";
  return fault("database_locked", `The data directory is in use by ${who}.`, {
    details: holder ? { owner: holder.owner, pid: holder.pid, lockedAt: holder.lockedAt } : {},
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function readHolder(path: string): LockHolder | undefined {
  try {
    const value = JSON.parse(textOf(path)) as Partial<LockHolder> | null;
    if (typeof value?.pid !== "number" || !Number.isSafeInteger(value.pid) || value.pid <= 0) return undefined;
    return {
      owner: typeof value.owner === "string" ? value.owner : "unknown",
      pid: value.pid,
      processStart: typeof value.processStart === "string" ? value.processStart : null,
      lockedAt: typeof value.lockedAt === "number" ? value.lockedAt : 0,
    };
  } catch {
    return undefined;
  }
}

/** Known to be the very process that wrote the lock. Where start times cannot be read, the guard alone decides. */
function stillThere(holder: LockHolder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (errorCode(error) !== "EPERM") return false;
  }
  return holder.processStart !== null && processStart(holder.pid) === holder.processStart;
}

/**
 * Field 22 of /proc/PID/stat; the command before it may hold blanks and parentheses. Null as well for a
 * process that has ended and waits for its parent to notice: it holds nothing any more.
 */
export function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
