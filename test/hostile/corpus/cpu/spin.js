// A loop that does nothing.
// ends: turn_timeout
for (;;);
