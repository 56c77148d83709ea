// The pattern that takes 49 seconds in a validator that uses the language's own expressions.
// model: offline:echo
// returns: ["schema_unsupported","schema_invalid","fits"]
const codes = [];
for (const schema of [
  { type: "string", pattern: "^(?=a)(a+)+$" },
  { type: "string", pattern: "^(a+)+$", minLength: 3, enum: [`${"a".repeat(60)}!`] },
  { type: "string", pattern: "^(a|aa|a)+$" },
]) {
  try {
    await agents.run("x", { schema });
    codes.push("fits");
  } catch (error) {
    codes.push(error.code);
  }
}
return codes;
