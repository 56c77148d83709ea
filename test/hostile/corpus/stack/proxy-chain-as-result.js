// The same chain as the result.
// ends: result_not_json | script_error | stack_overflow | memory_limit
let p = {};
for (let i = 0; i < 10_000; i += 1) p = new Proxy(p, {});
return p;
