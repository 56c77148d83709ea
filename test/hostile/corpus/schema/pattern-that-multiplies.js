// Repetitions of repetitions, a thousand times each.
// model: offline:echo
// returns: "contained"
const patterns = ["((a{1000}){1000}){1000}", "(((((a?){1000}){1000}){1000}){1000})b", "[a-\\uffff]{1000}{2}", "(a|b|c){1000}"];
for (const pattern of patterns) {
  try {
    await agents.run("x", { schema: { type: "string", pattern, examples: ["a".repeat(900)] } });
  } catch {}
}
return "contained";
