// One multiplication chain whose single steps take long.
// ends: turn_timeout | memory_limit | script_error
let n = 3n ** 100_000n;
for (let i = 0; i < 1_000_000; i += 1) n = (n * n) % (2n ** 1_000_000n);
return String(n).length;
