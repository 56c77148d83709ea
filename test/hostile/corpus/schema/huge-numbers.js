// Bounds at the edge of what numbers can say.
// model: offline:echo
// returns: "contained"
for (const schema of [
  { type: "integer", minimum: 1e308, maximum: 1e308, multipleOf: 3 },
  { type: "number", multipleOf: 5e-324, minimum: 1 },
  { type: "integer", exclusiveMinimum: 9007199254740992, exclusiveMaximum: 9007199254740994 },
  { type: "number", minimum: 5, maximum: 4 },
  { type: "integer", multipleOf: 0.1, minimum: 0.05, maximum: 0.09 },
]) {
  try {
    await agents.run("x", { schema });
  } catch {}
}
return "contained";
