// A thousand different booleans.
// model: offline:echo
// returns: "schema_invalid"
try {
  await agents.run("x", { schema: { type: "array", uniqueItems: true, minItems: 1000, items: { type: "boolean" } } });
} catch (error) {
  return error.code;
}
