// An error behind ten thousand prototypes, without a message of its own.
// ends: script_error
let p = new Error("at the end");
for (let i = 0; i < 10_000; i += 1) p = Object.create(p);
throw p;
