// Fifty thousand bind()s around one function: the call unwinds through natives only.
// ends: script_error | stack_overflow | memory_limit
// returns: 1
let f = () => 1;
for (let i = 0; i < 50_000; i += 1) f = f.bind(null);
return f();
