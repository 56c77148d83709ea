// The nested value as a note.
// ends: memory_limit
// returns: "noted"
let o = {};
for (let i = 0; i < 40_000; i += 1) o = { o };
console.log(o, [o], new Map([[o, o]]));
return "noted";
