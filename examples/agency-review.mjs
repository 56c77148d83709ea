// Shows:  a team in a program of your own. A researcher, a writer and an illustrator work as a graph, a reviewer
//         reads them all; the whole team is one agent to its caller.
// Run:    node examples/agency-review.mjs
//         OPENAI_API_KEY=… node examples/agency-review.mjs openai:gpt-4.1
// Expect: who worked, in which order, and the reviewer's text. Without a model's name the offline model answers.

import { agency } from "quickswarm";

const model = process.argv[2] ?? "offline:echo";

const team = agency({
  name: "article",
  model,
  agents: {
    researcher: { instructions: "Gather facts, with their sources." },
    writer: { instructions: "Write a short article from the research.", dependsOn: ["researcher"] },
    illustrator: { instructions: "Describe three illustrations.", dependsOn: ["researcher"] },
    reviewer: { instructions: "Check both for contradictions.", dependsOn: ["writer", "illustrator"] },
  },
});

const result = await team.generate("Write about the James Webb Space Telescope.");
for (const call of result.agentCalls) console.log(`${call.agent}: ${call.usage.totalTokens} tokens, ${call.provider}`);
console.log(result.text);
await team.close();
