// A wait for more ids than one wait may have, and the same id a thousand times.
// returns: ["TypeError",1]
// returns: ["TypeError",1000]
const child = agents.spawn("say x");
let name;
try {
  agents.wait(Array(1001).fill(child.runId));
} catch (error) {
  name = error.name;
}
const { completed } = await agents.wait(Array(1000).fill(child.runId));
return [name, completed.length];
