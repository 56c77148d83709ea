// The prototype of all arrays is a proxy that lies about every index.
// returns: ["There is no tool \"one\"",["a","b"]]
Object.setPrototypeOf(
  Array.prototype,
  new Proxy(Object.create(null), {
    get: (_target, key) => (key === "toJSON" ? () => "forged" : undefined),
    has: () => true,
    set: () => true,
  }),
);
const value = await agents.run('json ["a","b"]', { schema: { type: "array" } });
const named = await agents.run("say answer", { tools: ["one"], retries: 1 }).catch((error) => error.message);
Object.setPrototypeOf(Array.prototype, Object.prototype);
return [named.slice(0, 22), value];
