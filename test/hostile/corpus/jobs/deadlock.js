// Waits for a promise that nobody holds.
// ends: deadlock
await new Promise(() => {});
