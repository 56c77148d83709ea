// A promise resolved with a promise, a thousand times over.
// returns: "bottom"
let p = Promise.resolve("bottom");
for (let i = 0; i < 1_000; i += 1) {
  const inner = p;
  p = new Promise((resolve) => resolve(inner));
}
return await p;
