// Leaving the loop calls return(), whose finally never ends.
// ends: turn_timeout
function* clinging() {
  try {
    yield 1;
  } finally {
    for (;;);
  }
}
for (const one of clinging()) if (one === 1) break;
