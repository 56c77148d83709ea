// Throws, and leaves a job behind that never stops.
// ends: turn_timeout | memory_limit
const next = () => Promise.resolve().then(next);
next();
throw new Error("looks finished");
