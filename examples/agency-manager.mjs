// Shows:  a manager that delegates, streamed: who begins, who ends, and the answer as it comes in. One member is
//         a team itself.
// Run:    node examples/agency-manager.mjs
//         ANTHROPIC_API_KEY=… node examples/agency-manager.mjs anthropic:claude-opus-4-5
// Expect: a line for each member that the manager asked, and its answer. Offline, it asks everybody once.

import { agency } from "quickswarm";

const model = process.argv[2] ?? "offline:echo";

const research = agency({
  model,
  strategy: "parallel",
  agents: { searcher: { instructions: "Find sources." }, skeptic: { instructions: "Find what speaks against them." } },
});

const team = agency({
  model,
  strategy: "hierarchical",
  instructions: "Have the research done first, then the writing.",
  agents: { research, writer: { instructions: "Write polished prose." } },
});

const stream = team.stream("Explain the quicksort algorithm.");
for await (const part of stream.fullStream) {
  if (part.type === "agent-start") console.log(`${part.agent} begins`);
  if (part.type === "agent-end") console.log(`${part.agent} ends`);
}
console.log(await stream.text);
console.log(`${(await team.usage()).totalTokens} tokens in all`);
await team.close();
