// A program that keeps its team's answers in a file, as docs/agencies.md shows; run, killed and run again by a test.
// Arguments: the file. Prints the result as JSON.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { agency, agencyHost } from "../../../dist/index.js";

const [file] = process.argv.slice(2);
const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
const kept = new Map(lines.filter((line) => line !== "").map((line) => JSON.parse(line)));

async function once(key, work) {
  const name = `${key.runId} ${key.path} ${key.index}`;
  if (!kept.has(name)) {
    const value = await work();
    appendFileSync(file, `${JSON.stringify([name, value])}\n`, { flush: true });
    kept.set(name, value);
  }
  return kept.get(name);
}

const plain = agencyHost();
const host = { ...plain, once, call: (request) => once(request.key, () => plain.call(request)) };
const team = agency(
  { model: "openai:gpt-4.1", strategy: "debate", maxRounds: 2, agents: { proponent: {}, critic: {} } },
  host,
);
const { text, agentCalls, usage } = await team.generate("Is it so?", { runId: "agn_debate" });
const calls = agentCalls.map(({ durationMs: _, ...call }) => call);
console.log(JSON.stringify({ text, calls, usage }));
