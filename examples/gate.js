// Shows:  a decision gate in a loop. A draft goes to a reviewer until it is approved, or until the rounds
//         are used up; control flow is the orchestration.
// Run:    quickswarm run examples/gate.js
//         quickswarm run examples/gate.js --args '{"subject":"a login page","rounds":5}'
// Expect: the draft, whether it was approved, and what each round said. The offline reviewer decides by
//         a hash of what it reads, so the same subject always takes the same number of rounds.

const subject = args?.subject ?? "a short release note for a job scheduler";
const rounds = args?.rounds ?? 4;

const verdict = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string", maxLength: 160 } },
  required: ["approved", "reason"],
  additionalProperties: false,
};

phase("draft");
let draft = await agents.run(`Write ${subject}.`, { label: "draft" });

const history = [];
for (let round = 1; round <= rounds; round++) {
  phase(`review ${round}`);
  const { approved, reason } = await agents.run(`Round ${round}. Is this ${subject} ready to be sent?\n${draft}`, {
    label: `review ${round}`,
    schema: verdict,
  });
  history.push({ round, approved, reason });
  log(`round ${round}: ${approved ? "approved" : "sent back"}`);
  if (approved) return { approved, rounds: round, draft, history };
  if (round < rounds) {
    draft = await agents.run(`Improve it.\nWhat was wrong: ${reason}\nDraft:\n${draft}`, {
      label: `draft ${round + 1}`,
    });
  }
}
return { approved: false, rounds, draft, history };
