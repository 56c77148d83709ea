// What a microtask throws belongs to no promise.
// ends: unhandled_rejection | script_error
queueMicrotask(() => {
  throw new Error("stray");
});
await sleep("1h");
return "never";
