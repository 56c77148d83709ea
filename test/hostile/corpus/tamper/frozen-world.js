// Freezes everything it can reach before it uses the surface.
// clock: runs
// returns: "answer"
const seen = new Set();
const freezeAll = (value) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
  seen.add(value);
  try {
    Object.freeze(value);
  } catch {}
  for (const key of Reflect.ownKeys(value)) {
    const own = Reflect.getOwnPropertyDescriptor(value, key);
    freezeAll(own?.value);
    freezeAll(own?.get);
  }
  freezeAll(Object.getPrototypeOf(value));
};
freezeAll(globalThis);
log("frozen");
await sleep("1s");
return await agents.run("say answer");
