// The same chain as a rejection that nobody handles.
// ends: unhandled_rejection | script_error | stack_overflow | memory_limit
let p = new Error("deep");
for (let i = 0; i < 2_000; i += 1) p = new Proxy(p, {});
Promise.reject(p);
await sleep("1s");
