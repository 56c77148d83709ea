// Two hundred next() calls queued on one async generator.
// returns: 200
async function* slow() {
  for (;;) yield await null;
}
const g = slow();
let count = 0;
await Promise.all(Array.from({ length: 200 }, () => g.next().then(() => (count += 1))));
return count;
