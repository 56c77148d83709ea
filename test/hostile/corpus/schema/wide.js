// A schema of seventy kilobytes goes to a model that must refuse it by name.
// model: offline:echo
// returns: ["failed","schema_unsupported"]
const properties = {};
for (let i = 0; i < 1000; i += 1) properties[`a property with a name that is rather long ${i}`] = { type: "string" };
try {
  await agents.run("x", { schema: { type: "object", properties } });
} catch (error) {
  return [error.status, error.code];
}
