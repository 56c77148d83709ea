// AggregateErrors of AggregateErrors.
// ends: script_error | memory_limit
let error = new Error("first");
for (let i = 0; i < 1_000; i += 1) error = new AggregateError([error, error], "next");
throw error;
