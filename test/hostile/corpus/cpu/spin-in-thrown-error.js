// What is thrown answers every question about itself with a loop.
// ends: turn_timeout | script_error
const spin = () => {
  for (;;);
};
throw new Proxy(new Error("x"), { get: spin, getOwnPropertyDescriptor: spin, getPrototypeOf: spin, ownKeys: spin });
