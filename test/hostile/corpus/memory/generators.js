// Suspended generators, each with a frame.
// ends: memory_limit | turn_timeout
function* held(value) {
  const copy = [value, value];
  yield copy;
  yield value;
}
const all = [];
for (;;) {
  const one = held(all.length);
  one.next();
  all.push(one);
}
