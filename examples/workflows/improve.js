// Shows:  a loop with a bound: written, reviewed and rewritten, as long as the budget allows.
// Run:    quickswarm run examples/workflows/improve.js
// Expect: a text, and how many rounds it took; offline the reviewer decides by a rule of his own.

export const meta = {
  name: "improve",
  description: "Writes a text and improves it until a reviewer accepts it, three rounds at most",
  phases: ["Write", "Review"],
};

const REVIEW = {
  type: "object",
  properties: { accepted: { type: "boolean" }, wish: { type: "string" } },
  required: ["accepted", "wish"],
};

phase("Write");
let text = await agent(args?.task ?? "Explain in two sentences why tides come twice a day.", { label: "draft" });
let rounds = 0;
while (text !== null && rounds < 3 && budget.remaining() > 10_000) {
  rounds += 1;
  const review = await agent(`Review this:\n${text}`, { label: `review ${rounds}`, phase: "Review", schema: REVIEW });
  if (review === null || review.accepted) break;
  const better = await agent(`Rewrite it. Wish: ${review.wish}\n${text}`, { label: `rewrite ${rounds}`, phase: "Write" });
  text = better ?? text;
}
return { rounds, text };
