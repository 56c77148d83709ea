// Choices of choices that contradict each other at the end.
// model: offline:echo
// returns: "schema_invalid"
let schema = { type: "string", const: 5 };
for (let i = 0; i < 16; i += 1) schema = { anyOf: [schema, schema], oneOf: [schema, schema] };
schema = { allOf: Array.from({ length: 12 }, (_, i) => ({ anyOf: [{ const: i }, { const: i + 1 }, { const: i + 2 }] })) };
try {
  return await agents.run("x", { schema });
} catch (error) {
  return error.code;
}
