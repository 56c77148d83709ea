// More children than a group may have: each refusal rejects its own promise.
// returns: {"fulfilled":50,"child_limit":10}
const ends = await Promise.allSettled(Array.from({ length: 60 }, (_, i) => agents.run(`say ${i}`)));
const count = {};
for (const end of ends) {
  const key = end.status === "fulfilled" ? "fulfilled" : end.reason.code;
  count[key] = (count[key] ?? 0) + 1;
}
return count;
