// Values of a billion items, characters and members.
// model: offline:echo
// returns: ["schema_invalid","schema_invalid","schema_invalid","schema_invalid"]
const codes = [];
for (const schema of [
  { type: "array", minItems: 1e9, items: { type: "integer" } },
  { type: "string", minLength: 1e9 },
  { type: "object", minProperties: 1e9 },
  { type: "array", minItems: 1000, items: { type: "array", minItems: 1000, items: { type: "array", minItems: 1000 } } },
]) {
  try {
    await agents.run("x", { schema });
    codes.push("fits");
  } catch (error) {
    codes.push(error.code);
  }
}
return codes;
