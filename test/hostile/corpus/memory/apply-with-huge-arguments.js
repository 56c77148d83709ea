// A call with four million arguments.
// ends: memory_limit | turn_timeout | script_error
const count = (...all) => all.length;
return count.apply(null, { length: 4_000_000 });
