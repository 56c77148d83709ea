// W1: a script that awaits one child after the other. Every awaited step is a settlement, a turn and a
// commit. Between two steps one transaction of the floor is timed, so that a noisy moment meets both.

import { openFloor } from "../support/floor.mjs";
import { row } from "../support/row.mjs";
import { instantRunner } from "../support/runners.mjs";
import { expectResult, openBench } from "../support/runtime.mjs";
import { median } from "../support/stats.mjs";

const STEPS = 1_000;
const WARM_UP_STEPS = 200;

const SCRIPT = `
let last = "";
for (let index = 0; index < args.steps; index += 1) last = await agents.run("step " + index);
return last;`;

export const trial = {
  id: "W1",
  title: "sequential awaited children",
  cases: () => [{ name: "1000", guardMs: 60_000, run }],
};

async function run({ dir }) {
  const floor = openFloor(dir);
  const samples = { step: [], floor: [] };
  let stepStartedAt;
  // Runs between two steps: the script waits for this very child, so nothing else is under way.
  const onStart = () => {
    if (stepStartedAt !== undefined) samples.step.push(performance.now() - stepStartedAt);
    samples.floor.push(floor.once());
    stepStartedAt = performance.now();
  };
  const bench = await openBench(dir, { runners: [instantRunner(onStart)] });
  await bench.result(await bench.submit(SCRIPT, { steps: WARM_UP_STEPS }));
  stepStartedAt = undefined;
  samples.step.length = 0;
  samples.floor.length = 0;
  const last = await bench.result(await bench.submit(SCRIPT, { steps: STEPS }));
  expectResult("last answer", last, `answer of ${`step ${STEPS - 1}`.length} characters`);
  await bench.close();
  floor.close();
  const mean = samples.step.reduce((sum, each) => sum + each, 0) / samples.step.length;
  return [
    row({
      id: "W1",
      what: "1,000 sequential awaited children, each (median)",
      unit: "ms",
      value: median(samples.step),
      floor: median(samples.floor),
      target: { of: "ratio", atMost: 3 },
      note: `mean ${mean.toPrecision(3)} ms`,
      limit:
        "a step is one commit of about 16 pages (the floor's has 2), a round trip to the VM worker with a snapshot, and two uses of the registry",
    }),
  ];
}
