// Shared memory and atomics, to wait without being seen.
// ends: script_error
// returns: "none"
const shared = globalThis["Shared" + "ArrayBuffer"];
const atomics = globalThis.Atomics;
if (!shared || !atomics) return "none";
return atomics.wait(new Int32Array(new shared(8)), 0, 0);
