// Holds a text only for a moment: it must not be found in what is kept of the run.
// restarts: 1
// forgets: correct horse battery staple
// returns: 28
const spell = () => ["correct", "horse", "battery", "staple"];
let secret = spell().join("-");
const { length } = secret;
secret = null;
await agents.run("hold restart one");
return length;
