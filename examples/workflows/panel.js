// Shows:  a barrier, and agents that die. Several judges answer at once; one of them always fails, is null
//         to the script, and stands in the census of the run.
// Run:    quickswarm run examples/workflows/panel.js --args-text "Should we rewrite it?"
// Expect: three of four voices counted, and "done, but not every child succeeded" in the closing words.

export const meta = { name: "panel", description: "Asks a panel of judges and counts their voices" };

const question = typeof args === "string" ? args : "Should the cache be shared between processes?";
const VOICE = { type: "object", properties: { agree: { type: "boolean" } }, required: ["agree"] };
const JUDGES = ["a pragmatist", "a skeptic", "an operator"];

phase("Vote");
const voices = await parallel([
  ...JUDGES.map((who) => () => agent(`You are ${who}. ${question}`, { label: who, schema: VOICE })),
  () => agent(question, { label: "the judge who is never there", model: "offline:fail" }),
]);
const counted = voices.filter(Boolean);
log(`${counted.length} of ${voices.length} voices`);
return { counted: counted.length, of: voices.length, agree: counted.filter((voice) => voice.agree).length };
