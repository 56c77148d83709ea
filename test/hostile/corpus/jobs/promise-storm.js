// Every job makes two more.
// ends: turn_timeout | memory_limit
const fork = () => {
  Promise.resolve().then(fork);
  Promise.resolve().then(fork);
};
fork();
await new Promise(() => {});
