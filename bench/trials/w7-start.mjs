// W7: how long the command line takes, from its spawn to its exit, against a Node process that does nothing.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstLine, ROOT, runProgram } from "../support/programs.mjs";
import { row } from "../support/row.mjs";
import { expectResult } from "../support/runtime.mjs";
import { median } from "../support/stats.mjs";

const REPETITIONS = { full: 9, quick: 5 };
const MAIN = join(ROOT, "dist", "cli", "main.js");
const SCRIPT = 'return await agents.run("say something");\n';

export const trial = {
  id: "W7",
  title: "process start times",
  cases: () => [{ name: "start", guardMs: 120_000, run }],
};

async function run({ dir, quick }) {
  const file = join(dir, "one-child.js");
  writeFileSync(file, SCRIPT);
  const samples = { bare: [], version: [], first: [], again: [], parts: [] };
  const repetitions = REPETITIONS[quick ? "quick" : "full"];
  for (let round = 0; round < repetitions; round += 1) {
    samples.bare.push((await node(["-e", "0"])).exitMs);
    const version = await node([MAIN, "--version"]);
    expectResult("--version prints a version", /^\d+\.\d+\.\d+/.test(version.line), true);
    samples.version.push(version.exitMs);
    const data = join(dir, `data-${round}`);
    samples.first.push(await runScript(file, data));
    samples.again.push(await runScript(file, data));
    const own = join(dir, `parts-${round}`);
    mkdirSync(own);
    samples.parts.push(await runProgram("start-parts.mjs", [own]));
  }
  return rowsOf(samples);
}

async function runScript(file, data) {
  const { out, exitMs } = await node([MAIN, "run", file, "--data", data, "--json"]);
  if (!out.includes("offline")) throw new Error(`the run printed ${JSON.stringify(out.slice(0, 300))}`);
  return exitMs;
}

function node(args) {
  return firstLine(process.execPath, args);
}

function rowsOf({ bare, version, first, again, parts }) {
  const floor = median(bare);
  const part = (name) => Math.round(median(parts.map((marks) => marks[name])));
  const [loaded, opened, ended, closed] = ["loadedMs", "openedMs", "endedMs", "closedMs"].map(part);
  const figure = (id, what, samples, more) => row({ id, what, unit: "ms", value: median(samples), floor, ...more });
  return [
    figure("W7-version", "quickswarm --version", version, {
      target: { of: "value", atMost: 150 },
      limit: "Node's own start, then the modules that the command line loads",
    }),
    figure("W7-run", "quickswarm run, one offline child, new data directory", first, {
      target: { of: "value", atMost: 700 },
      note:
        `the same without the command line and HTTP: modules ${loaded} ms, opening ${opened - loaded}, ` +
        `run ${ended - opened} (30 of it the offline answer's delay), closing ${closed - ended}`,
      limit: "modules, the engine's start and a new database",
    }),
    figure("W7-run-again", "quickswarm run, one offline child, used data directory", again, {}),
  ];
}
