// Twenty thousand notes and a result: the result counts, the notes are bounded.
// returns: "noted"
// notes: 1001
for (let i = 0; i < 20_000; i += 1) console.warn("x");
return "noted";
