// strace as the hand that kills at a system call, or lets it fail. Its counter counts per thread, and all
// of SQLite's writes are on the main one, so the n-th call is the same call in each run.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Writing into a file at a place, and making it durable: all that SQLite does to a file's contents. */
export const CALLS = ["pwrite64", "fdatasync", "fsync"] as const;
export type Call = (typeof CALLS)[number];

/** Why it cannot be used here, or undefined. */
export function whyNoTracer(): string | undefined {
  const tried = spawnSync("strace", [
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    "trace=none",
    process.execPath,
    "--version",
  ]);
  if (tried.error) return `strace cannot be started: ${tried.error.message}`;
  return tried.status === 0 ? undefined : `strace may not trace here: ${tried.stderr}`;
}

/** A wrapper that writes down the calls. */
export function watching(logFile: string): string[] {
  return ["strace", "-f", "-qq", "--seccomp-bpf", "-o", logFile, "-e", `trace=${CALLS.join(",")}`];
}

/** A wrapper that does `what` at the calls `when` of one kind, counted from 1: `3`, or `3..5`. */
export function injecting(call: Call, what: "signal=KILL" | "error=EIO" | "error=ENOSPC", when: string): string[] {
  // With the filter a call is not stopped at its entry, and the signal would come to nothing.
  const filter = what === "signal=KILL" ? [] : ["--seccomp-bpf"];
  const inject = `inject=${call}:${what}:when=${when}`;
  return ["strace", "-f", "-qq", ...filter, "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
}

/** How often the main thread made each call; it is the first one in the log. */
export function countCalls(logFile: string): Record<Call, number> {
  const lines = readFileSync(logFile, "utf8").split("\n");
  const main = lines[0]?.split(" ")[0] ?? "";
  const count = (call: Call): number =>
    lines.filter((line) => line.startsWith(`${main} `) && line.includes(` ${call}(`)).length;
  return { pwrite64: count("pwrite64"), fdatasync: count("fdatasync"), fsync: count("fsync") };
}

/** At most `count` numbers from 1 to `max`, evenly spread, both ends among them. */
export function evenly(max: number, count: number): number[] {
  if (max <= count) return Array.from({ length: max }, (_, index) => index + 1);
  return Array.from({ length: count }, (_, index) => 1 + Math.round((index * (max - 1)) / (count - 1)));
}
