// Notes and labels that are cut just where a character has two halves.
// returns: "cut"
log(`${"x".repeat(3999)}\u{1f600}tail`);
phase(`${"x".repeat(199)}\u{1f600}`);
await agents.run("say x", { label: `${"l".repeat(198)}\u{1f600}` });
return "cut";
