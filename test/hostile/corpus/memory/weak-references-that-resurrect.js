// A cleanup callback that makes more garbage to be cleaned up.
// ends: memory_limit | turn_timeout
const registry = new FinalizationRegistry((list) => {
  for (let i = 0; i < 100; i += 1) make(list);
});
const keep = [];
function make(list) {
  list.push([1, 2, 3]);
  registry.register({ list }, list);
}
for (;;) make(keep);
