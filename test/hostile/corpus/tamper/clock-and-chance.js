// Date and Math.random are the script's own to forge; its sleeps and ids do not go by them.
// clock: runs
// returns: ["answer","slept"]
Date.now = () => Number.NaN;
Date.prototype.getTime = () => -1;
Math.random = () => 0.5;
globalThis.Date = class {};
await sleep("90s");
return [await agents.run("say answer"), "slept"];
