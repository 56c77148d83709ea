// Functions inside functions, for the compiler.
// ends: script_error | stack_overflow | memory_limit | turn_timeout
return eval(`${"(() => ".repeat(20_000)}1${")".repeat(20_000)}`);
