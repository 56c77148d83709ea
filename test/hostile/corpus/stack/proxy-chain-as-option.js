// The surface itself is given the chain as an option and asks whether it is an array.
// ends: script_error | stack_overflow | memory_limit
// returns: ["InternalError"]
// returns: ["RangeError"]
// returns: ["TypeError"]
let p = [];
for (let i = 0; i < 10_000; i += 1) p = new Proxy(p, {});
try {
  agents.run("say x", { tools: p });
} catch (error) {
  return [error.name];
}
return "accepted";
