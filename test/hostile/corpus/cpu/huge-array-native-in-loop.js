// Each native is bounded, the loop of them is not, and everything is caught.
// ends: turn_timeout
const some = new Array(50000).fill(1);
for (;;) {
  try {
    some.indexOf(2);
    some.lastIndexOf(2);
  } catch {}
}
