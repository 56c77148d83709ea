// The same as a rejection: the host reads names along the chain itself.
// ends: unhandled_rejection
let p = new Error("at the end");
for (let i = 0; i < 2_000; i += 1) p = Object.create(p);
Promise.reject(p);
await sleep("1s");
