// Starts children and spins in the same turn: the turn is not committed, so no child may start.
// ends: turn_timeout
// children: 0
agents.run("say never one");
agents.run("say never two");
for (;;);
