// Forges the built-ins before a restart; after it, the surface still goes by its own.
// restarts: 1
// returns: ["answer",{"a":1}]
JSON.parse = JSON.stringify = () => "forged";
Map.prototype.get = Map.prototype.delete = () => undefined;
Promise.prototype.then = () => "forged";
Object.prototype.toJSON = () => "forged";
await agents.run("hold restart one");
delete Object.prototype.toJSON;
const text = await agents.run("say answer");
const value = await agents.run('json {"a":1}', { schema: { type: "object" } });
return [text, value];
