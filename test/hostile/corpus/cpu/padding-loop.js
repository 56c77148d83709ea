// Short natives over long texts, for ever.
// ends: turn_timeout | memory_limit
for (;;) "x".padEnd(2_000_000, "abc").normalize("NFKD").localeCompare("y".padEnd(2_000_000));
