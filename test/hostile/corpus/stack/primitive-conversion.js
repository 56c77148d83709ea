// Conversions that convert.
// ends: script_error | stack_overflow
const o = {
  [Symbol.toPrimitive]() {
    return `${o}`;
  },
};
return `${o}`;
