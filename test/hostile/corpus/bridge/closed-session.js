// Sends after close, and closes twice.
// returns: "The session is closed; open another one with agents.session"
const chat = agents.session("terse");
chat.close();
chat.close();
try {
  await chat.send("say late");
} catch (error) {
  return error.message;
}
