// The nested value as the result.
// ends: result_not_json | memory_limit
let o = {};
for (let i = 0; i < 40_000; i += 1) o = { o };
return o;
