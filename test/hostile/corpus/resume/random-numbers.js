// The stream of random numbers is a new one after a restart, and no number comes twice.
// restarts: 1
// returns: 200
const seen = new Set();
for (let i = 0; i < 100; i += 1) seen.add(Math.random());
await agents.run("hold restart one");
for (let i = 0; i < 100; i += 1) seen.add(Math.random());
return seen.size;
