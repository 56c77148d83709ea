// Waits with a time-out that is over at once, with none, and for what was cancelled in the same turn.
// returns: [0,1,1]
const held = agents.spawn("hold this");
held.result.catch(() => {});
const first = await agents.wait([held.runId], { timeoutSeconds: 0 });
held.cancel("no more");
const second = await agents.wait([held.runId]);
const third = await agents.wait([held.runId, held.runId]);
return [first.completed.length, second.completed.length, third.completed.length];
