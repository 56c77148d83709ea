// Out of memory, then everything is let go, then a result. The turn has failed all the same.
// ends: memory_limit
let all = [];
try {
  for (;;) all.push(new Uint8Array(1_000_000).fill(1));
} catch {
  all = null;
}
return "fine again";
