// A comparator that sorts with itself.
// ends: script_error | stack_overflow | turn_timeout
const compare = () => {
  [2, 1].sort(compare);
  return 0;
};
[2, 1].sort(compare);
