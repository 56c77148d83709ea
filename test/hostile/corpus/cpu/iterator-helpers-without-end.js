// A native that consumes an iterator: some() with a predicate that never holds.
// ends: turn_timeout
function* zeros() {
  for (;;) yield 0;
}
return zeros()
  .map((n) => n)
  .filter((n) => n === 0)
  .some((n) => n === 1);
