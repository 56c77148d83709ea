// The rejection comes with an answer, in a turn of its own.
// ends: unhandled_rejection
agents.run("say one").then(() => {
  throw new Error("later");
});
await sleep("2h");
