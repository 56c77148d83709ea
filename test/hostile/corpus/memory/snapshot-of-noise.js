// Fits into memory, and does not compress into a snapshot.
// ends: snapshot_too_large
let x = 1;
const noise = new Uint32Array(100_000).map(() => (x = (x * 48271) % 2147483647));
await agents.run("say parked");
return noise.length;
