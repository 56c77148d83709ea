// Cleanup callbacks that throw, and that run while the turn is being closed.
// ends: unhandled_rejection | script_error
// returns: "done"
const registry = new FinalizationRegistry(() => {
  throw new Error("cleanup");
});
for (let i = 0; i < 1000; i += 1) registry.register({ i }, i);
await agents.run("say one");
return "done";
