// References that lead in a circle.
// model: offline:echo
// returns: "schema_invalid"
const schema = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
try {
  return await agents.run("x", { schema });
} catch (error) {
  return error.code;
}
