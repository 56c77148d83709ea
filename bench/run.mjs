// npm run bench: runs the trials one after the other, prints their table and, when asked, writes it as
// JSON. A case that hangs or fails becomes a row that says so; whatever it left behind is ended and removed.

import { fork, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchArguments, USAGE } from "./support/arguments.mjs";
import { ROOT } from "./support/programs.mjs";
import { row } from "./support/row.mjs";
import { tableText } from "./support/table.mjs";

const CASE = fileURLToPath(new URL("case.mjs", import.meta.url));
const ERROR_CHARS_MAX = 2_000;
/** A case that has sent its rows ends by itself; this is how long it may take. */
const EXIT_MS_MAX = 20_000;
/** All of a quick bench. On a busy machine the last trials are then missing, and the table says so. */
const QUICK_MS_MAX = 58_000;

let running;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    running?.end();
    process.exit(130);
  });
}

build();
const { TRIALS, NOT_MEASURED } = await import("./trials/all.mjs");
const wanted = readArguments();
const rows = await runTrials(TRIALS.filter((trial) => wanted.ids.includes(trial.id)));
console.log(`\n${machineText()}\n`);
console.log(tableText(rows));
console.log(`\nNot measured:\n${NOT_MEASURED.map((line) => `- ${line}`).join("\n")}`);
if (wanted.json !== undefined) writeFileSync(wanted.json, `${JSON.stringify({ trials: rows }, null, 2)}\n`);

function readArguments() {
  try {
    return benchArguments(
      process.argv.slice(2),
      TRIALS.map((trial) => trial.id),
    );
  } catch (error) {
    console.error(`bench: ${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

/** The trials run what `npm run build` makes. */
function build() {
  const done = spawnSync(process.execPath, [join(ROOT, "scripts", "build.mjs")], { cwd: ROOT, stdio: "inherit" });
  if (done.status !== 0) process.exit(1);
}

async function runTrials(trials) {
  const rows = [];
  for (const trial of trials) {
    for (const each of trial.cases(wanted.quick)) {
      process.stderr.write(`${trial.id} ${trial.title}: ${each.name} … `);
      const startedAt = performance.now();
      rows.push(...(await runCase(trial, each)));
      process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
    }
  }
  return rows;
}

async function runCase(trial, each) {
  if (leftMs() <= 0) return [missingRow(trial, each, `not begun: a quick bench ends after ${QUICK_MS_MAX / 1000} s`)];
  const dir = mkdtempSync(join(tmpdir(), "quickswarm-bench-"));
  try {
    return await caseRows(trial, each, dir);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return [missingRow(trial, each, error.message.split("\n")[0])];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function missingRow(trial, each, limit) {
  const missing = row({ id: `${trial.id}-${each.name}`, what: trial.title, unit: "", value: null });
  return { ...missing, met: false, limit };
}

/** Of the time that all may take, which only the quick bench limits. */
function leftMs() {
  return wanted.quick ? QUICK_MS_MAX - performance.now() : Number.MAX_SAFE_INTEGER;
}

function caseRows(trial, each, dir) {
  const args = [trial.id, each.name, dir, ...(wanted.quick ? ["--quick"] : [])];
  return new Promise((resolve, reject) => {
    // Its own process group, so that the programs it starts end with it.
    const child = fork(CASE, args, { detached: true, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    const end = () => endGroup(child.pid);
    running = { end };
    let rows;
    let errors = "";
    const guardMs = Math.max(Math.min(each.guardMs, leftMs()), 0);
    let guard = setTimeout(() => giveUp(`did not end within ${(guardMs / 1000).toFixed(1)} s`), guardMs);
    const giveUp = (reason) => {
      end();
      reject(new Error(`${trial.id} ${each.name} ${reason}`));
    };
    child.stderr.on("data", (data) => {
      errors = (errors + data).slice(-ERROR_CHARS_MAX);
    });
    child.once("message", (message) => {
      rows = message;
      clearTimeout(guard);
      guard = setTimeout(() => giveUp("sent its figures, but its process did not end by itself"), EXIT_MS_MAX);
    });
    child.once("close", (code) => {
      clearTimeout(guard);
      end();
      running = undefined;
      if (rows && code === 0) resolve(rows);
      else reject(new Error(`${trial.id} ${each.name} failed: ${reasonOf(errors)}\n${errors}`));
    });
  });
}

/** The line of an uncaught error that says what happened. */
function reasonOf(errors) {
  return errors.split("\n").find((line) => /^(?:\w*Error|Fault)\b/.test(line)) ?? "its process ended too early";
}

/** Ends a case's process and those it started. */
function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

function machineText() {
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} cores; compare ratios, not times`;
}
