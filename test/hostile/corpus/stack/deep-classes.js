// A class that extends a class, ten thousand times, and one construction through all of them.
// ends: script_error | stack_overflow | memory_limit
let C = class {};
for (let i = 0; i < 10_000; i += 1) C = class extends C {};
new C();
return "built";
