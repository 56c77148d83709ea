// After it was caught, the script goes on as if nothing had been; the surface has no memory left either.
// ends: memory_limit
const all = [];
try {
  for (;;) all.push(new Uint8Array(65_536).fill(1));
} catch {}
try {
  for (;;) all.push([all.length]);
} catch {}
return await agents.run("say survived");
