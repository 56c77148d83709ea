// Array.isArray looks through every proxy.
// ends: script_error | stack_overflow | memory_limit
// returns: true
let p = [];
for (let i = 0; i < 10_000; i += 1) p = new Proxy(p, {});
return Array.isArray(p);
