// So are registered symbols.
// ends: memory_limit | turn_timeout
for (let i = 0; ; i += 1) Symbol.for(`symbol ${"x".repeat(200)} ${i}`);
