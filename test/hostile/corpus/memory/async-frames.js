// Async functions that all stop at their first await.
// ends: memory_limit | turn_timeout
const gate = new Promise(() => {});
const wait = async (n) => {
  const local = [n, n + 1, n + 2];
  await gate;
  return local;
};
for (let n = 0; ; n += 1) wait(n);
