// The answers of four children are each allowed and do not fit together.
// ends: memory_limit
const all = await Promise.all([1, 2, 3, 4].map(() => agents.run("repeat 4000000")));
return all.map((text) => text.length);
