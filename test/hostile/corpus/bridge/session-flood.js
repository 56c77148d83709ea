// A session with more sends queued than children are allowed.
// returns: 60
const chat = agents.session("terse");
return (await Promise.all(Array.from({ length: 60 }, (_, i) => chat.send(`say ${i}`)))).length;
