// Calls without end.
// ends: too_many_calls | turn_timeout | memory_limit
for (;;) sleep(1);
