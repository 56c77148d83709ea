// Waits for nothing once it was restored.
// restarts: 1
// ends: deadlock
await agents.run("hold restart one");
await new Promise(() => {});
