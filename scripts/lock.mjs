// One process at a time through a piece of work: a lock file that holds its owner's process id, taken
// over when that process is gone.

import { readFileSync, rmSync, writeFileSync } from "node:fs";

const WAIT_MS = 50;
const WAIT_MAX_MS = 120_000;

/** Runs `work` while holding the lock at `path`; waits for the owner before it, at most two minutes. */
export async function withLock(path, work) {
  const giveUpAt = Date.now() + WAIT_MAX_MS;
  while (!take(path)) {
    if (Date.now() > giveUpAt) throw new Error(`waited ${WAIT_MAX_MS} ms for ${path}; remove it if nobody builds`);
    if (!ownerLives(path)) rmSync(path, { force: true });
    else await new Promise((done) => setTimeout(done, WAIT_MS));
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path) {
  try {
    writeFileSync(path, `${process.pid}`, { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function ownerLives(path) {
  try {
    const owner = Number(readFileSync(path, "utf8"));
    // Just created and not yet written: its owner is about to write its id.
    if (owner === 0) return true;
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
