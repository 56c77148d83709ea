// Tries its limits again after a restart: they are the run's, not the process's.
// restarts: 1
// ends: too_many_calls
await agents.run("hold restart one");
for (let i = 0; i < 501; i += 1) sleep("1h");
await sleep("2h");
