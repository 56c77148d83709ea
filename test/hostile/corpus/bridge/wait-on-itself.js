// Waits for its own run, whose id it works out from its child's.
// ends: parked
// returns: ["not_found"]
const child = agents.spawn("say x");
await child.result;
const own = child.runId.replace(/^agt_/, "run_").replace(/_\d+$/, "");
const { errors } = await agents.wait([own]);
return errors.map((entry) => entry.error);
