// A character class of eighteen thousand characters, repeated a thousand times.
// model: offline:echo
// returns: "schema_invalid"
const all = Array.from({ length: 18_000 }, (_, index) => String.fromCharCode(0x4e00 + index)).join("");
try {
  await agents.run("x", { schema: { type: "string", pattern: `[${all}]{1000}x` } });
} catch (error) {
  return error.code;
}
