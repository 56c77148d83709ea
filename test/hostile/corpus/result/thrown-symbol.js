// Throws a symbol.
// ends: script_error
throw Symbol("thrown");
