// Cancels its own run through its id.
// returns: null
const child = agents.spawn("say x");
await child.result;
return await agents.cancel(child.runId.replace(/^agt_/, "run_").replace(/_\d+$/, ""), "self");
