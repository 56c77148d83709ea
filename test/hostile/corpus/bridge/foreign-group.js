// Fills the neighbour's group with children of its own.
// returns: 50
const ends = await Promise.allSettled(
  Array.from({ length: 60 }, (_, i) => agents.run(`say ${i}`, { groupId: args.foreign.groupId })),
);
return ends.filter((end) => end.status === "fulfilled").length;
