// $async at the root makes some validators say yes to everything.
// model: offline:echo
// returns: ["schema_unsupported","schema_unsupported","schema_unsupported","schema_unsupported"]
const codes = [];
for (const schema of [
  { $async: true, type: "integer" },
  { $ref: "http://127.0.0.1:1/x.json" },
  { $ref: "file:///etc/passwd" },
  { $dynamicRef: "#x", unknownKeyword: 1 },
]) {
  try {
    await agents.run("x", { schema });
    codes.push("fits");
  } catch (error) {
    codes.push(error.code);
  }
}
return codes;
