// W8: what a child that a model answers costs over the bare call of the AI SDK, against the same server on
// loopback: one after the other, and 500 at once. Both are timed in turns, so that a noisy moment meets both.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import { checkConfig } from "../../dist/config/check.js";
import { resolveModels } from "../../dist/config/models.js";
import { row } from "../support/row.mjs";
import { expectResult, openBench } from "../support/runtime.mjs";
import { median } from "../support/stats.mjs";

const SERVER = fileURLToPath(new URL("../programs/model-server.mjs", import.meta.url));
const AT_ONCE = 500;
const ROUNDS = 5;

const SCRIPT = `
if (!args.atOnce) {
  for (let index = 0; index < args.calls; index += 1) await agents.run("call " + index);
} else await Promise.all(Array.from({ length: args.calls }, (_, index) => agents.run("call " + index)));
return args.calls;`;

export const trial = {
  id: "W8",
  title: "children answered by a model on loopback",
  cases: (quick) => [
    { name: "sequential", guardMs: 120_000, run: (given) => run({ ...given, calls: quick ? 50 : 200, atOnce: false }) },
    { name: "500", guardMs: 180_000, run: (given) => run({ ...given, calls: AT_ONCE, atOnce: true }) },
  ],
};

async function run({ dir, calls, atOnce }) {
  const server = fork(SERVER);
  const [{ port }] = await once(server, "message");
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const config = checkConfig({ models: { providers: { local: { baseUrl, maxConcurrent: 1000 } } } }).config;
  const { models } = resolveModels(config, {}, undefined, []);
  const bench = await openBench(dir, { changes: { defaultModel: "local:m", models } });
  const model = createOpenAICompatible({ name: "local", baseURL: baseUrl }).chatModel("m");
  const bare = async (index) => {
    expectResult("the bare answer", await streamText({ model, prompt: `call ${index}`, maxRetries: 2 }).text, "fine");
  };
  const samples = { child: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bareMs = await timed(async () => {
      const indexes = Array.from({ length: calls }, (_, index) => index);
      if (atOnce) await Promise.all(indexes.map(bare));
      else for (const index of indexes) await bare(index);
    });
    const childMs = await timed(async () => {
      expectResult("the run", await bench.result(await bench.submit(SCRIPT, { calls, atOnce })), calls);
    });
    // The first round warms up.
    if (round === 0) continue;
    samples.bare.push(bareMs / calls);
    samples.child.push(childMs / calls);
  }
  await bench.close();
  server.disconnect();
  const [child, floor] = [median(samples.child), median(samples.bare)];
  const how = atOnce ? `${AT_ONCE} at once` : "one after the other";
  return [
    row({
      id: atOnce ? "W8-500" : "W8-sequential",
      what: `a child's answer by a model, ${how}, each`,
      unit: "ms",
      value: child,
      floor,
      target: { of: "ratio", atMost: 1.1 },
      note: `${(child - floor).toPrecision(3)} ms over the bare call`,
      limit: "a child is stored when it starts, after its answer and when it ends, and its script has a turn",
    }),
  ];
}

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
