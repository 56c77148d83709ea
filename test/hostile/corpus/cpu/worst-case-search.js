// indexOf at its worst: every position nearly matches.
// ends: turn_timeout
const hay = "a".repeat(2_000_000);
const needle = `${"a".repeat(1_000_000)}b`;
let found = 0;
for (let round = 0; round < 1000; round += 1) found += hay.indexOf(needle);
return found;
