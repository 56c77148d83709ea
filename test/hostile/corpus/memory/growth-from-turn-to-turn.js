// Each turn adds noise; the chain of differences must not hide it.
// ends: snapshot_too_large
let x = 1;
const all = [];
for (let turn = 0; turn < 100; turn += 1) {
  all.push(new Uint32Array(20_000).map(() => (x = (x * 48271) % 2147483647)));
  await agents.run("say next");
}
return all.length;
