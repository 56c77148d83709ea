// Shows:  a workflow. One agent audits each file at once, and each finding is checked as soon as it is there,
//         without waiting for the others.
// Run:    quickswarm run examples/workflows/audit.js
//         quickswarm run examples/workflows/audit.js --files "docs/s*.md"
// Expect: how many files were audited, and one verdict for each finding; its two phases in the progress.

export const meta = {
  name: "audit",
  description: "Audits files and checks each finding before it is reported",
  whenToUse: "before a release",
  phases: [
    { title: "Audit", detail: "one agent a file" },
    { title: "Check", detail: "a second agent tries to refute each finding" },
  ],
};

const FINDING = {
  type: "object",
  properties: { problem: { type: "string" }, severity: { enum: ["low", "medium", "high"] } },
  required: ["problem", "severity"],
};
const VERDICT = { type: "object", properties: { holds: { type: "boolean" } }, required: ["holds"] };

const files = args?.files ?? [
  { path: "login.ts", text: "export const isAdmin = (user) => user.name === 'admin';" },
  { path: "cache.ts", text: "export const cache = new Map();" },
  { path: "retry.ts", text: "while (true) { try { return await send(); } catch {} }" },
];

const checked = await pipeline(
  files,
  (file) =>
    agent(`What is the worst problem of ${file.path}?\n${file.text.slice(0, 4000)}`, {
      label: file.path,
      phase: "Audit",
      schema: FINDING,
    }),
  (finding, file) =>
    agent(`Try to refute this about ${file.path}: ${finding.problem}`, {
      label: `check ${file.path}`,
      phase: "Check",
      effort: "high",
      schema: VERDICT,
    }),
  (verdict, file) => ({ path: file.path, holds: verdict?.holds ?? null }),
);
return { audited: checked.filter(Boolean).length, of: files.length, verdicts: checked };
