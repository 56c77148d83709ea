// Well behaved until its child has answered, then a loop.
// ends: turn_timeout
await agents.run("say go");
for (;;);
