// Text that repaints terminals: colours, titles, cursor moves, bidirectional overrides.
// returns: "shown"
const evil = "\u001b[2J\u001b]0;owned\u0007\u202e\u2066evil\u2069\r\u009b31m\u0008\u0008";
phase(evil);
console.error(evil, new Error(evil), { [evil]: evil });
await agents.run(`say ${evil}`, { label: evil, phase: evil, key: evil, groupId: evil });
return "shown";
