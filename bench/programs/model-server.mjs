// A model provider on loopback, in a process of its own: streams one short answer in the wire of OpenAI's chat
// completions, at once. It tells its port to the process that started it.

import { createServer } from "node:http";

const chunk = (delta, finish_reason = null, usage = undefined) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }], usage })}\n\n`;
const ANSWER = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "fine" }),
  chunk({}, "stop", { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }),
  "data: [DONE]\n\n",
].join("");

const server = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(ANSWER));
});
server.listen(0, "127.0.0.1", 1024, () => process.send({ port: server.address().port }));
process.on("disconnect", () => process.exit(0));
