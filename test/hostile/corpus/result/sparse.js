// A list of four billion holes.
// ends: result_not_json | turn_timeout | memory_limit | result_too_large
const list = [];
list.length = 2 ** 32 - 1;
return list;
