// Errors with stacks as long as they get.
// ends: memory_limit | turn_timeout
const all = [];
Error.stackTraceLimit = 1_000_000;
const deep = (n) => (n > 0 ? deep(n - 1) : all.push(new Error("x".repeat(1000))));
for (;;) deep(200);
