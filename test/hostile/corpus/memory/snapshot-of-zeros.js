// The same size without noise is allowed: a limit on bytes kept, not on memory used.
// returns: [100000,0]
const zeros = new Uint32Array(100_000);
await agents.run("say parked");
return [zeros.length, zeros[99_999]];
