// Errors inherit from a proxy that spins when it is asked anything.
// ends: turn_timeout | script_error
const spin = () => {
  for (;;);
};
Object.setPrototypeOf(Error.prototype, new Proxy({}, { get: spin, getPrototypeOf: spin, has: spin }));
await agents.run("fail with this");
