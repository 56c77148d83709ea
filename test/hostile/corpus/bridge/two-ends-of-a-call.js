// Uses the parts of a handle in every odd order: cancel before the answer, twice, after the end, from its own answer.
// returns: ["killed","killed","done"]
const ends = [];
const one = agents.spawn("hold one");
one.cancel("first");
one.cancel("again");
ends.push(await one.result.catch((error) => error.status));
await one.cancel("after the end");
ends.push(await one.result.catch((error) => error.status));
const two = agents.spawn("say done");
ends.push(await two.result.then(async (text) => (await two.cancel("too late"), text)));
return ends;
