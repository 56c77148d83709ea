// Handled one turn too late.
// clock: runs
// ends: unhandled_rejection
const p = agents.run("fail soon");
await agents.run("say first");
await sleep("1s");
try {
  await p;
} catch {
  return "too late";
}
