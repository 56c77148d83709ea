// Shows:  fan-out. Several agents work at once, each answers with a value that fits a schema, and the
//         failure of one is seen and counted instead of taking the others down.
// Run:    quickswarm run examples/fan-out.js
//         quickswarm run examples/fan-out.js --args '{"topics":["caching","retries"]}'
// Expect: one report per topic, and one topic among the failures: its model, offline:fail, always fails.

const topics = args?.topics ?? ["caching", "retries", "timeouts", "backups"];

const report = {
  type: "object",
  properties: {
    risk: { enum: ["low", "medium", "high"] },
    summary: { type: "string", maxLength: 200 },
    questions: { type: "array", items: { type: "string", maxLength: 120 }, minItems: 1, maxItems: 3 },
  },
  required: ["risk", "summary", "questions"],
  additionalProperties: false,
};

phase("assess");
const assess = (topic, model) =>
  agents.run(`# Risks of ${topic}\nHow can ${topic} fail in a system that runs for months without a restart?`, {
    label: topic,
    schema: report,
    model,
  });

// allSettled, not all: an agent that fails rejects its promise with a SwarmAgentError.
const names = [...topics, "a topic that fails"];
const settled = await Promise.allSettled([
  ...topics.map((topic) => assess(topic)),
  assess("failure", "offline:fail"),
]);

const reports = [];
const failures = [];
for (const [index, outcome] of settled.entries()) {
  if (outcome.status === "fulfilled") reports.push({ topic: names[index], ...outcome.value });
  else failures.push({ topic: names[index], status: outcome.reason.status, code: outcome.reason.code });
}
log(`${reports.length} reports, ${failures.length} failed`);

phase("summarise");
const summary = await agents.run(
  `# Summary of ${reports.length} reports\n${reports.map((one) => `${one.topic}: ${one.risk}. ${one.summary}`).join("\n")}`,
  { label: "summary" },
);

return { reports, failures, summary };
