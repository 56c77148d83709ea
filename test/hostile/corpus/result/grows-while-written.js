// A toJSON that returns a larger object each time.
// ends: result_not_json | turn_timeout | memory_limit | script_error
let n = 0;
const grow = () => ({ n: (n += 1), toJSON: undefined, next: { toJSON: grow } });
return { toJSON: grow };
