// Twenty-two references that double each other.
// model: offline:echo
// returns: "schema_invalid"
const $defs = { d0: { type: "string" } };
for (let i = 1; i <= 22; i += 1) $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
try {
  return typeof (await agents.run("x", { schema: { $ref: "#/$defs/d22", $defs } }));
} catch (error) {
  return error.code;
}
