// Parks, and takes its thread down once it was restored.
// restarts: 1
// ends: turn_timeout
await agents.run("hold restart one");
const holes = [];
holes.length = 2 ** 32 - 1;
return holes.includes(3);
