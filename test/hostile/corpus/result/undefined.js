// Returns nothing.
// returns: null
await agents.run("say x");
