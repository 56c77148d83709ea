// The same, after a turn that had something to wait for.
// ends: deadlock
await agents.run("say one");
await Promise.race([]);
