// Catches at the very end of the stack and recurses again from there.
// ends: turn_timeout | script_error | stack_overflow
const f = () => {
  try {
    f();
  } catch {
    f();
  }
};
f();
