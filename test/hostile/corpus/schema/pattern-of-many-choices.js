// Four thousand alternatives, repeated.
// model: offline:echo
// returns: "contained"
const pattern = `(${Array.from({ length: 4000 }, (_, i) => `x${i}`).join("|")}){1000}`;
try {
  await agents.run("x", { schema: { type: "string", pattern, examples: ["x1".repeat(400)] } });
} catch {}
return "contained";
