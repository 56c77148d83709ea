// Defaults and examples that do not fit, with deep and large values.
// model: offline:echo
// returns: "string"
const deep = JSON.parse(`${"[".repeat(150)}${"]".repeat(150)}`);
return typeof (await agents.run("x", { schema: { type: "string", default: deep, examples: [deep, 5, null], minLength: 1 } }));
