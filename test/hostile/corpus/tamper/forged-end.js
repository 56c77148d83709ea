// Looks for the functions that end a run, through everything that a script can name.
// returns: []
const found = [];
const seen = new Set();
const look = (value, path) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
  seen.add(value);
  if (typeof value === "function" && /^(dispatch|bridge|settle|deliver|finish|end|drive|start|reseed)$/i.test(value.name)) found.push(path);
  for (const key of Reflect.ownKeys(value)) {
    const own = Reflect.getOwnPropertyDescriptor(value, key);
    for (const part of [own?.value, own?.get, own?.set]) look(part, `${path}.${String(key)}`);
  }
  look(Object.getPrototypeOf(value), `${path}.__proto__`);
};
look(globalThis, "globalThis");
look(agents.spawn("say x"), "handle");
look(agents.session("s"), "session");
return found;
