// A microtask queue that only grows.
// ends: memory_limit | turn_timeout
for (;;) queueMicrotask(() => {});
