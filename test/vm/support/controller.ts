// A controller for the tests of the vm floor: small, but with the shape of the real one.

/** Host → guest. */
export const TO_GUEST = { fulfil: 0, reject: 1, start: 2, reseed: 3 } as const;
/** Guest → host. */
export const FROM_GUEST = { call: 0, result: 1, failure: 2 } as const;

/** `host.<method>(...args)` is a call; the value that the script returns is the result. */
export const CONTROLLER = `(function (bridge) {
  "use strict";
  const { stringify, parse } = JSON;
  const { defineProperty } = Object;
  const evaluate = eval;
  const text = String;
  const PromiseHere = Promise;
  const ErrorHere = Error;
  const uncurry = Function.prototype.call.bind(Function.prototype.bind, Function.prototype.call);
  const get = uncurry(Map.prototype.get);
  const set = uncurry(Map.prototype.set);
  const remove = uncurry(Map.prototype.delete);
  const then = uncurry(PromiseHere.prototype.then);
  const pending = new Map();
  let next = 1;
  let state = 1;
  const call = (method, args) => {
    const json = stringify(args);
    return new PromiseHere((resolve, reject) => {
      const id = next++;
      set(pending, id, { __proto__: null, resolve, reject });
      bridge(0, id, method, json);
    });
  };
  defineProperty(globalThis, "host", {
    __proto__: null,
    value: new Proxy({}, { get: (_target, method) => (method === "then" ? undefined : (...args) => call(method, args)) }),
  });
  Math.random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  return function dispatch(op, id, a, b) {
    if (op === 2) {
      then(
        evaluate(a)(),
        (value) => bridge(1, 0, "", stringify(value) ?? "null"),
        (error) => bridge(2, 0, text(error), text(error && error.stack)),
      );
      return 0;
    }
    if (op === 3) {
      state = 1;
      for (let i = 0; i < a.length; i++) state = (state * 31 + a.charCodeAt(i)) % 2147483647;
      return 0;
    }
    const waiter = get(pending, id);
    if (!waiter) return 1;
    remove(pending, id);
    if (op === 0) waiter.resolve(a === "" ? undefined : parse(a));
    else waiter.reject(new ErrorHere(a));
    return 0;
  };
})`;
