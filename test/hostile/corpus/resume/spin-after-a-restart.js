// Parks like anybody, and spins once it was restored.
// restarts: 1
// ends: turn_timeout
await agents.run("hold restart one");
for (;;);
