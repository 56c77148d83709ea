// Array.from believes the length it is told.
// ends: memory_limit | turn_timeout | script_error
return Array.from({ length: 2 ** 32 - 1 }, (_, index) => ({ index })).length;
