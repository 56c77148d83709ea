// The same chain as what is thrown.
// ends: script_error | stack_overflow | memory_limit
let p = new Error("deep");
for (let i = 0; i < 10_000; i += 1) p = new Proxy(p, {});
throw p;
