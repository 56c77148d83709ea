// A proxy for a list that claims to be endless.
// ends: result_not_json | turn_timeout | memory_limit | result_too_large
return new Proxy([], { get: (target, key) => (key === "length" ? 2 ** 53 - 1 : Reflect.get(target, key)) });
