// Members, references and required names that every object inherits.
// model: offline:echo
// returns: "contained"
for (const schema of [
  { type: "object", required: ["constructor", "toString"], properties: { constructor: { type: "integer" } } },
  { $ref: "#/constructor" },
  { $ref: "#/__proto__" },
  { $ref: "#/$defs/%E0%A4%A/x" },
  JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
  JSON.parse('{"__proto__":{"type":"string"}}'),
]) {
  try {
    await agents.run("x", { schema });
  } catch {}
}
return {}.type === undefined ? "contained" : "polluted";
