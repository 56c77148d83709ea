// W5: how long a script waits after its child has its answer: from the moment the runner resolves to
// the start of the script's next child. In between lie the settlement, the turn in the VM worker and
// the commit that keeps both. The process is idle when the answer comes, as a real one is.

import { openFloor } from "../support/floor.mjs";
import { row } from "../support/row.mjs";
import { expectResult, openBench } from "../support/runtime.mjs";
import { percentile } from "../support/stats.mjs";

const COUNTS = { full: 1_000, quick: 300 };
const WARM_UP = 50;
/** Idle time before and after the floor's own transaction. */
const IDLE_MS = 3;

const SCRIPT = `
for (let index = 0; index < args.count; index += 1) await agents.run("child " + index);
return args.count;`;

export const trial = {
  id: "W5",
  title: "wake latency",
  cases: () => [{ name: "wake", guardMs: 90_000, run }],
};

async function run({ dir, quick }) {
  const count = COUNTS[quick ? "quick" : "full"] + WARM_UP;
  const floor = openFloor(dir);
  const samples = { wake: [], floor: [] };
  let resolvedAt;
  const runner = {
    handles: () => true,
    async run() {
      if (resolvedAt !== undefined) samples.wake.push(performance.now() - resolvedAt);
      await idle();
      samples.floor.push(floor.once());
      await idle();
      resolvedAt = performance.now();
      return { status: "done", text: "done" };
    },
  };
  const bench = await openBench(dir, { runners: [runner] });
  expectResult("children", await bench.result(await bench.submit(SCRIPT, { count })), count);
  await bench.close();
  floor.close();
  return [50, 99].map((percent) =>
    row({
      id: `W5-p${percent}`,
      what: `answer of a child to the script's next child, p${percent}`,
      unit: "ms",
      value: percentile(samples.wake.slice(WARM_UP), percent),
      floor: percentile(samples.floor.slice(WARM_UP), percent),
      target: percent === 50 ? { of: "ratio", atMost: 5 } : null,
      limit: "as W1, and threads that have to be woken",
    }),
  );
}

function idle() {
  return new Promise((resolve) => setTimeout(resolve, IDLE_MS));
}
