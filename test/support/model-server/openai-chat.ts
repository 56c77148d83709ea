// The wire of OpenAI's chat completions, which most other providers speak as well.

import { CREATED_SECONDS, inputText, piecesOf, type Reply, serverEvent, USAGE_DEFAULT, type Wire } from "./wire.ts";

export const openaiChat: Wire = {
  name: "openai-chat",
  matches: (path) => path.endsWith("/chat/completions"),
  isStreamed: (_path, body) => body.stream === true,
  whole: (reply, model) => ({
    ...head(model, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: reply.text ?? null,
          ...(reply.calls ? { tool_calls: calls(reply) } : {}),
        },
        finish_reason: finish(reply),
      },
    ],
    usage: usageOf(reply),
  }),
  pieces,
  errorBody: (status, message) => ({ error: { message, type: "error", code: String(status) } }),
  errorPiece: (message) => serverEvent({ error: { message, type: "server_error", code: "overloaded" } }),
};

function pieces(reply: Reply, model: string): string[] {
  const top = head(model, "chat.completion.chunk");
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...top,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks: object[] = [chunk({ role: "assistant", content: "" })];
  for (const content of piecesOf(reply.text ?? "")) chunks.push(chunk({ content }));
  for (const call of calls(reply)) chunks.push(chunk({ tool_calls: [call] }));
  // With the last choice, as Mistral sends it; OpenAI sends it alone, and both are read.
  const usage = usageOf(reply);
  chunks.push({ ...chunk({}, finish(reply)), usage, x_groq: { usage } });
  return [...chunks.map((event) => serverEvent(event)), "data: [DONE]\n\n"];
}

function head(model: string, object: string) {
  return { id: "chatcmpl-1", object, created: CREATED_SECONDS, model };
}

function calls(reply: Reply) {
  return (reply.calls ?? []).map((call, index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name: call.name, arguments: inputText(call) },
  }));
}

function finish(reply: Reply): string {
  if (reply.finish === "length") return "length";
  if (reply.finish === "refusal") return "content_filter";
  return reply.calls?.length ? "tool_calls" : "stop";
}

function usageOf(reply: Reply) {
  const usage = reply.usage ?? USAGE_DEFAULT;
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
  };
}
