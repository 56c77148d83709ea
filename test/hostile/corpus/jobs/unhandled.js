// A rejection that nobody handles, while the script waits for something else.
// ends: unhandled_rejection
// says: lost
Promise.reject(new Error("lost"));
await sleep("1h");
return "never";
