// Four hundred calls are open over a restart, and each gets its own answer.
// restarts: 1
// clock: runs
// returns: [400,79800]
const sleeps = Array.from({ length: 400 }, async (_, index) => {
  await sleep(60_000 + index);
  return index;
});
await agents.run("hold restart one");
const all = await Promise.all(sleeps);
return [all.length, all.reduce((sum, n) => sum + n, 0)];
