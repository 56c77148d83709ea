// Stacks of errors thrown by the surface name no file of the host.
// returns: []
const stacks = [];
for (const attempt of [() => agents.run(1), () => sleep("x"), () => API.read("../../x"), () => null.x]) {
  try {
    attempt();
  } catch (error) {
    stacks.push(error.stack);
  }
}
try {
  await agents.run("fail on purpose");
} catch (error) {
  stacks.push(error.stack);
}
return stacks.filter((stack) => /node_modules|file:|dist|\.ts|\.mjs|node:/.test(stack));
