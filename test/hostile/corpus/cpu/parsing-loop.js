// The parser and the compiler as the loop.
// ends: turn_timeout
const source = `return [${"1,".repeat(20_000)}]`;
for (;;) new Function(source)();
