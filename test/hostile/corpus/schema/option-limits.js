// Every option one above its limit, or of the wrong kind.
// returns: 14
let refused = 0;
for (const options of [
  { label: "l".repeat(201) },
  { model: "" },
  { model: "m".repeat(201) },
  { thinking: "t".repeat(41) },
  { agentId: "" },
  { phase: "p".repeat(201) },
  { timeoutMs: 0 },
  { timeoutMs: 1.5 },
  { timeoutMs: 1e20 },
  { retries: 21 },
  { retries: -1 },
  { tools: Array(201).fill("t") },
  { key: "k".repeat(201) },
  { groupId: "" },
]) {
  try {
    agents.run("say x", options);
  } catch (error) {
    if (error.name === "TypeError") refused += 1;
  }
}
return refused;
