// Errors that cause each other, a thousand deep.
// ends: script_error
let error = new Error("first");
for (let i = 0; i < 1_000; i += 1) error = new Error("next", { cause: error });
throw error;
