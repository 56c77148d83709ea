// Two hundred marks on one letter, in a label and in the phase, and long words without a break.
// returns: "drawn"
const tall = `a${"\u0301".repeat(199)}`;
phase(tall);
await agents.run("say x", { label: tall });
log("\u200b".repeat(4000), "\uffff".repeat(1000));
return "drawn";
