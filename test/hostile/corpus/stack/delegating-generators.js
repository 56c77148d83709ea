// yield* through forty thousand generators.
// ends: script_error | stack_overflow | memory_limit
function* leaf() {
  yield 1;
}
function* around(inner) {
  yield* inner;
}
let g = leaf();
for (let i = 0; i < 40_000; i += 1) g = around(g);
return [...g].length;
