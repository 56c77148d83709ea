// Throws an error with five megabytes of message, name and stack.
// ends: script_error | memory_limit | turn_timeout
const error = new Error("m".repeat(1_000_000));
error.name = "n".repeat(1_000_000);
error.stack = "s\n".repeat(500_000);
throw error;
