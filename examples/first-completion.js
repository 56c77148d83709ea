// Shows:  first completion. One question goes to several models; answers are taken as they come in, each
//         is checked while the others still work, and who is no longer needed is cancelled.
// Run:    quickswarm run examples/first-completion.js
//         quickswarm run examples/first-completion.js --args '{"wanted":1}'
// Expect: two checked answers, one failure, and one cancelled agent: offline:hang would never answer.

const question = args?.question ?? "Which part of a durable scheduler is the hardest to test, and why?";
const models = args?.models ?? ["offline:echo@60ms", "offline:hang", "offline:fail@10ms", "offline:echo@200ms"];
const wanted = args?.wanted ?? 2;

phase("ask");
const open = new Map();
for (const model of models) {
  // spawn gives a handle at once; the agent works on while the script does other things.
  const child = agents.spawn(question, { model, label: model });
  open.set(child.runId, child);
}

const checks = [];
const failures = [];
while (open.size > 0 && checks.length < wanted) {
  const { completed } = await agents.wait([...open.keys()]);
  for (const child of completed) {
    open.delete(child.runId);
    if (child.status !== "done") failures.push({ model: child.label, status: child.status, code: child.errorCode });
    // Not awaited here: the check runs beside the agents that are still open.
    else if (checks.length < wanted) checks.push(check(child.label, child.result));
  }
}

const cancelled = [...open.values()].map((child) => child.label);
await Promise.all([...open.values()].map((child) => child.cancel("enough answers are in")));
log(`${checks.length} answers, ${failures.length} failed, ${cancelled.length} cancelled`);

return { question, answers: await Promise.all(checks), failures, cancelled };

async function check(model, answer) {
  const verdict = await agents.run(`Does this answer the question?\nQuestion: ${question}\nAnswer: ${answer}`, {
    label: `check ${model}`,
    phase: "check",
  });
  return { model, answer, verdict };
}
