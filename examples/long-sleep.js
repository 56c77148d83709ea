// Shows:  a long sleep between two agents. While it sleeps the run is rows in a database: it uses no
//         memory, no thread and no slot, and it survives restarts of the gateway.
// Run:    quickswarm submit examples/long-sleep.js        (needs a gateway that stays up, or comes back)
//         quickswarm run examples/long-sleep.js --args '{"pause":"3s"}'
// Expect: after two hours (or the pause that was given) both notes, and how many seconds lay between.

const pause = args?.pause ?? "2h";

phase("before");
const morning = await agents.run("Write down what a build farm should look at first in the morning.", {
  label: "morning note",
});
const writtenAt = now();

phase(`asleep for ${pause}`);
await sleep(pause);

// Nothing was lost: `morning` and `writtenAt` are variables like any other.
const sleptSeconds = Math.round((now() - writtenAt) / 1000);
phase("after");
const noon = await agents.run(`${sleptSeconds} seconds ago you wrote the following. What has changed?\n${morning}`, {
  label: "noon note",
});

return { sleptSeconds, morning, noon };
