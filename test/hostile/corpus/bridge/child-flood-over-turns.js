// As many children as a group may ever have, one turn after the other.
// returns: [400,"group_total_limit"]
let done = 0;
try {
  for (;;) {
    await Promise.all(Array.from({ length: 40 }, () => agents.run("say x")));
    done += 40;
  }
} catch (error) {
  return [done, error.code];
}
