// Cancels one child twenty-five thousand times in one turn.
// ends: too_many_calls | turn_timeout | memory_limit
const child = agents.spawn("hold this");
child.result.catch(() => {});
for (let i = 0; i < 25_000; i += 1) child.cancel("again");
await sleep("1h");
