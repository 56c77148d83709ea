// Objects that come as answers are made thenables that never call back.
// ends: deadlock
Object.prototype.then = () => {};
await agents.wait(["agt_none"]);
return "never";
