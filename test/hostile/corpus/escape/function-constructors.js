// Every constructor of code, asked for the host.
// returns: ["undefined","undefined","undefined","undefined","undefined"]
const kinds = [
  function () {},
  async function () {},
  function* () {},
  async function* () {},
  () => {},
].map((f) => f.constructor);
const results = [];
for (const kind of kinds) {
  const made = kind("return typeof process")();
  const value = typeof made === "object" && made !== null ? await (made.next ? made.next() : made) : made;
  results.push(typeof value === "object" && value !== null ? value.value : value);
}
return results;
