// Shows:  a session: one conversation, two messages. The second answer knows the first, and the history is
//         kept by the gateway, so a restart between the two loses nothing.
// Run:    quickswarm run examples/session.js
// Expect: an outline, and a value with three titles that was asked for in the second message.

const titles = {
  type: "object",
  properties: { titles: { type: "array", items: { type: "string", maxLength: 80 }, minItems: 3, maxItems: 3 } },
  required: ["titles"],
};

const editor = agents.session("You are a terse editor of technical texts.", { label: "editor" });
const outline = await editor.send("Outline an article about schedulers that survive a crash.");
const better = await editor.send("Now propose three titles for it.", { schema: titles });
editor.close();

return { outline, titles: better.titles };
