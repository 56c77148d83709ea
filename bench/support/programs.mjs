// Processes that a trial starts itself: fresh Node programs whose time counts from their spawn.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ERROR_CHARS_MAX = 2_000;
/** No program here takes a tenth of this on an idle machine. */
const PROGRAM_MS_MAX = 60_000;

/**
 * Runs a program of bench/programs and resolves with what it printed as its last line (JSON), with
 * `elapsedMs` from spawn to the moment that line was here. Its exit is awaited, but not counted.
 */
export async function runProgram(name, args, nodeFlags = []) {
  const file = fileURLToPath(new URL(`../programs/${name}`, import.meta.url));
  const { line, elapsedMs } = await firstLine(process.execPath, [...nodeFlags, file, ...args.map(String)]);
  return { ...JSON.parse(line), elapsedMs };
}

/** Spawns a command and resolves with its first line of output, the time to it, and the time to its exit. */
export function firstLine(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], ...options });
    let out = "";
    let errors = "";
    let elapsedMs;
    const guard = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${args.join(" ")} did not end within ${PROGRAM_MS_MAX / 1000} s; it printed ${out}${errors}`));
    }, PROGRAM_MS_MAX);
    child.stdout.on("data", (data) => {
      out += data;
      if (elapsedMs === undefined && out.includes("\n")) elapsedMs = performance.now() - startedAt;
    });
    child.stderr.on("data", (data) => {
      errors = (errors + data).slice(-ERROR_CHARS_MAX);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(guard);
      const exitMs = performance.now() - startedAt;
      if (code !== 0) reject(new Error(`${args[0]} ended with ${code}: ${errors || out}`));
      else resolve({ line: out.split("\n")[0] ?? "", out, elapsedMs: elapsedMs ?? exitMs, exitMs });
    });
  });
}
