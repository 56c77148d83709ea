// Deletes every global and every method of the built-in prototypes. What await means to the script is its own
// affair then: without Promise.prototype.constructor it gives the promise itself.
// ends: result_not_json
const { run } = agents;
const { ownKeys, deleteProperty } = Reflect;
const empty = (holder) => {
  const keys = ownKeys(holder);
  for (let index = 0; index < keys.length; index += 1) deleteProperty(holder, keys[index]);
};
const kinds = [Object, Function, Array, String, Number, Promise, Map, Set, Error, RegExp, Symbol, Date];
for (let index = 0; index < kinds.length; index += 1) {
  empty(kinds[index].prototype);
  empty(kinds[index]);
}
empty(globalThis);
return await run("say answer");
