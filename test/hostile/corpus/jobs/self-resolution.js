// A promise that is resolved with itself.
// ends: script_error
// says: TypeError
let resolve;
const p = new Promise((r) => {
  resolve = r;
});
resolve(p);
await p;
