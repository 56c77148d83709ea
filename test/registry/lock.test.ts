// One gateway per data directory, however the one before it ended.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processStart } from "../../src/registry/lock.ts";
import { AT, codeOf, startRun } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { openFor, startProgram } from "./files.ts";

/** A pid that no process has: above the kernel's highest. */
const NO_PID = 2 ** 30;

function writeLock(dataDir: string, pid: number, start: string | null): void {
  const holder = { owner: "an earlier gateway", pid, processStart: start, lockedAt: AT };
  writeFileSync(join(dataDir, "quickswarm.lock"), JSON.stringify(holder));
}

test("R-010 a second opener is refused, naming the owner and the pid of the first", async () => {
  const dataDir = tempDir();
  await openFor(dataDir, { owner: "the first gateway" });
  await expect(openFor(dataDir)).rejects.toMatchObject({
    code: "database_locked",
    message: expect.stringContaining(`the first gateway with pid ${process.pid}`),
    details: { owner: "the first gateway", pid: process.pid },
  });
});

test("R-010 a second process is refused, and the first goes on unharmed", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir, { owner: "the first gateway" });
  const other = startProgram("open.mjs", [dataDir, "other"]);
  await other.next();
  other.process.stdin?.write("go\n");
  const answer = await other.next();
  expect(answer).toMatchObject({ won: false, code: "database_locked" });
  expect(answer?.message).toContain(`pid ${process.pid}`);
  await startRun(registry);
});

test("R-010 a closed registry leaves no lock behind", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir);
  expect(existsSync(join(dataDir, "quickswarm.lock"))).toBe(true);
  await registry.close();
  expect(existsSync(join(dataDir, "quickswarm.lock"))).toBe(false);
  await openFor(dataDir);
});

test("R-010 the lock of a process that is gone is taken over", async () => {
  const dataDir = tempDir();
  writeLock(dataDir, NO_PID, "1");
  await openFor(dataDir);
  const holder = JSON.parse(readFileSync(join(dataDir, "quickswarm.lock"), "utf8"));
  expect(holder).toMatchObject({ pid: process.pid, processStart: processStart(process.pid) });
});

test("R-010 the lock of a pid that another process has by now is taken over", async () => {
  const dataDir = tempDir();
  writeLock(dataDir, process.ppid, "1");
  await openFor(dataDir);
});

test("R-010 a lock file that says nothing is taken over", async () => {
  const dataDir = tempDir();
  for (const text of ["", "null", "{}", "not json", '{"pid":-1}', '{"pid":"1"}']) {
    writeFileSync(join(dataDir, "quickswarm.lock"), text);
    await (await openFor(dataDir)).close();
  }
});

test("R-010 a living process that wrote the lock keeps it even where files cannot be locked", async () => {
  const dataDir = tempDir();
  writeLock(dataDir, process.ppid, processStart(process.ppid));
  expect(await codeOf(openFor(dataDir))).toBe("database_locked");
});

test("R-010 of processes that open at the same moment exactly one gets the directory", async () => {
  const dataDir = tempDir();
  const programs = Array.from({ length: 5 }, (_, index) => startProgram("open.mjs", [dataDir, `gateway ${index}`]));
  await Promise.all(programs.map((program) => program.next()));
  for (const program of programs) program.process.stdin?.write("go\n");
  const answers = await Promise.all(programs.map((program) => program.next()));
  expect(answers.filter((answer) => answer?.won)).toHaveLength(1);
  expect(answers.filter((answer) => !answer?.won).map((answer) => answer?.code)).toEqual(
    Array.from({ length: 4 }, () => "database_locked"),
  );
});

test("R-010 after kill -9 of the holder several takers race, one gets it without help", async () => {
  const dataDir = tempDir();
  const holder = startProgram("open.mjs", [dataDir, "holder"]);
  await holder.next();
  holder.process.stdin?.write("go\n");
  expect(await holder.next()).toEqual({ won: true });
  const takers = Array.from({ length: 4 }, (_, index) => startProgram("open.mjs", [dataDir, `taker ${index}`]));
  await Promise.all(takers.map((taker) => taker.next()));
  holder.process.kill("SIGKILL");
  await holder.ended;
  for (const taker of takers) taker.process.stdin?.write("go\n");
  const answers = await Promise.all(takers.map((taker) => taker.next()));
  expect(answers.filter((answer) => answer?.won)).toHaveLength(1);
});
