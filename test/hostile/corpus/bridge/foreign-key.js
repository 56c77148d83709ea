// Uses the neighbour's idempotency key: it gets a child of its own, not the neighbour's answer.
// returns: "mine"
return await agents.run("say mine", { key: args.foreign.key });
