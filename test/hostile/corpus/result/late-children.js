// Returns while children that nobody awaits are still running.
// returns: "gone"
for (let i = 0; i < 10; i += 1) agents.spawn("hold this").result.catch(() => {});
return "gone";
