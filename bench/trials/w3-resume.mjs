// W3: how long a fresh process takes to a parked run's result, by the number of steps behind it.
// Restoring a snapshot does not depend on the past; replaying would.

import { join } from "node:path";
import { copySynced } from "../support/files.mjs";
import { runProgram } from "../support/programs.mjs";
import { row } from "../support/row.mjs";
import { holdingRunner } from "../support/runners.mjs";
import { expectResult, openBench } from "../support/runtime.mjs";
import { median } from "../support/stats.mjs";

const STEPS = { full: [10, 100, 1_000, 5_000], quick: [10, 1_000] };
const REPETITIONS = { full: 9, quick: 3 };
const RATIO_MAX = 1.1;
const RESUME_MS_MAX = 350;

const SCRIPT = `
let answers = 0;
for (let index = 0; index < args.steps; index += 1) if (await agents.run("step " + index)) answers += 1;
return { answers, last: await agents.run("hold") };`;

export const trial = {
  id: "W3",
  title: "process start to result of a parked run",
  cases: () => [{ name: "resume", guardMs: 300_000, run }],
};

async function run({ dir, quick }) {
  const mode = quick ? "quick" : "full";
  const parked = [];
  for (const steps of STEPS[mode]) parked.push(await park(dir, steps));
  const bare = [];
  for (let round = 0; round < REPETITIONS[mode]; round += 1) {
    bare.push((await runProgram("start-floor.mjs", [join(dir, `floor-${round}`)])).elapsedMs);
    for (const each of parked) each.marks.push(await resume(each, join(dir, `copy-${each.steps}-${round}`)));
  }
  return rowsOf(parked, median(bare));
}

/** A data directory with a run that waits after `steps` awaited steps. */
async function park(dir, steps) {
  const own = join(dir, `parked-${steps}`);
  let held = () => {};
  const parked = new Promise((resolve) => {
    held = resolve;
  });
  const bench = await openBench(own, { runners: [holdingRunner(held)] });
  const runId = await bench.submit(SCRIPT, { steps });
  await parked;
  await bench.close();
  return { steps, runId, dir: own, marks: [] };
}

async function resume({ dir, runId, steps }, copy) {
  copySynced(dir, copy);
  const marks = await runProgram("resume.mjs", [copy, runId]);
  expectResult("result", marks.result, { answers: steps, last: "answer of 4 characters" });
  return marks;
}

function rowsOf(parked, bareMs) {
  const rows = parked.map(({ steps, marks }) => {
    const at = (name) => Math.round(median(marks.map((mark) => mark[name])));
    return row({
      id: `W3-${steps}`,
      what: `start to result, ${steps.toLocaleString("en-US")} awaited steps behind it`,
      unit: "ms",
      value: median(marks.map((mark) => mark.elapsedMs)),
      floor: bareMs,
      target: steps === 5_000 ? { of: "value", atMost: RESUME_MS_MAX } : null,
      note: `modules loaded at ${at("loadedMs")}, runtime open at ${at("openedMs")}, result at ${at("endedMs")} ms`,
      limit: "loading modules and the engine, and starting the VM worker",
    });
  });
  const [first, last] = [parked[0], parked[parked.length - 1]];
  const growth = row({
    id: "W3-growth",
    what: `${last.steps.toLocaleString("en-US")} steps behind it, against ${first.steps} (as floor)`,
    unit: "ms",
    value: median(last.marks.map((mark) => mark.elapsedMs)),
    floor: median(first.marks.map((mark) => mark.elapsedMs)),
    target: { of: "ratio", atMost: RATIO_MAX },
    limit: "reads at start that grow with the rows of the run",
  });
  return [...rows, growth];
}
