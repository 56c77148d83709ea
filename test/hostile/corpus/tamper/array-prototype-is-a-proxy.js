// The prototype of all arrays is a proxy that lies about every index.
// returns: ["answer",["a","b"]]
Object.setPrototypeOf(
  Array.prototype,
  new Proxy(Object.create(null), {
    get: (_target, key) => (key === "toJSON" ? () => "forged" : undefined),
    has: () => true,
    set: () => true,
  }),
);
const value = await agents.run('json ["a","b"]', { schema: { type: "array" } });
const text = await agents.run("say answer", { tools: ["one"], retries: 1 });
Object.setPrototypeOf(Array.prototype, Object.prototype);
return [text, value];
