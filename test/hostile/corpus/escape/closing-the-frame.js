// A text that closes the function around it and opens another one.
// ends: script_syntax
}); globalThis.outside = true; (async () => {
