// A linked list of thirty thousand, let go at once: freeing must not recurse.
// returns: "freed"
let list = null;
for (let i = 0; i < 30_000; i += 1) list = { list };
list = null;
await agents.run("say something");
return "freed";
