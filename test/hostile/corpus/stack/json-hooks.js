// toJSON that stringifies.
// ends: script_error | stack_overflow | turn_timeout | result_not_json | memory_limit
const o = { toJSON: () => JSON.stringify(o) };
return o;
