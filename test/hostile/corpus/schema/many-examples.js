// Thirty thousand examples to choose from, for a thousand items: minutes, when choosing costs nothing.
// model: offline:echo
// returns: "schema_invalid"
const examples = Array(30_000).fill(0);
try {
  await agents.run("x", { schema: { type: "array", minItems: 1000, items: { type: "integer", examples } } });
} catch (error) {
  return error.code;
}
