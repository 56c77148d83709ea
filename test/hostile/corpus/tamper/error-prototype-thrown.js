// The same without the spin: what is thrown is shown by a proxy.
// ends: script_error
Object.setPrototypeOf(
  Error.prototype,
  new Proxy(
    {},
    {
      get: () => {
        throw 1;
      },
      getOwnPropertyDescriptor: () => ({ value: "forged", configurable: true }),
    },
  ),
);
throw new TypeError("true");
