// The wire of the OpenAI Responses API.

import { CREATED_SECONDS, inputText, piecesOf, type Reply, serverEvent, USAGE_DEFAULT, type Wire } from "./wire.ts";

export const openaiResponses: Wire = {
  name: "openai-responses",
  matches: (path) => path.endsWith("/responses"),
  isStreamed: (_path, body) => body.stream === true,
  whole: (reply, model) => ({
    id: "resp_1",
    created_at: CREATED_SECONDS,
    model,
    output: [...messages(reply), ...calls(reply)],
    ...ending(reply),
  }),
  pieces,
  errorBody: (status, message) => ({ error: { message, type: "error", code: String(status), param: null } }),
  errorPiece: (message) =>
    serverEvent({ type: "error", sequence_number: 9, error: { type: "server_error", code: "overloaded", message } }),
};

function pieces(reply: Reply, model: string): string[] {
  const started = { id: "resp_1", created_at: CREATED_SECONDS, model };
  const events: object[] = [{ type: "response.created", response: started }];
  for (const [index, item] of messages(reply).entries()) {
    events.push({ type: "response.output_item.added", output_index: index, item: { ...item, content: [] } });
    const kind = reply.finish === "refusal" ? "response.refusal.delta" : "response.output_text.delta";
    for (const delta of piecesOf(reply.text ?? "")) events.push({ type: kind, item_id: item.id, delta });
    events.push({ type: "response.output_item.done", output_index: index, item });
  }
  for (const [index, item] of calls(reply).entries()) {
    const at = { output_index: index + 1 };
    events.push({ type: "response.output_item.added", ...at, item: { ...item, arguments: "" } });
    for (const delta of piecesOf(item.arguments)) {
      events.push({ type: "response.function_call_arguments.delta", ...at, item_id: item.id, delta });
    }
    events.push({ type: "response.output_item.done", ...at, item });
  }
  const end = reply.finish === "length" ? "response.incomplete" : "response.completed";
  events.push({ type: end, response: { ...started, ...ending(reply) } });
  return events.map((event) => serverEvent(event));
}

function messages(reply: Reply) {
  if (reply.text === undefined) return [];
  const content =
    reply.finish === "refusal"
      ? { type: "refusal", refusal: reply.text }
      : { type: "output_text", text: reply.text, annotations: [] };
  return [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content: [content] }];
}

function calls(reply: Reply) {
  return (reply.calls ?? []).map((call, index) => ({
    type: "function_call",
    id: `fc_${index}`,
    call_id: `call_${index}`,
    name: call.name,
    arguments: inputText(call),
    status: "completed",
  }));
}

function ending(reply: Reply) {
  const usage = reply.usage ?? USAGE_DEFAULT;
  return {
    status: reply.finish === "length" ? "incomplete" : "completed",
    incomplete_details: reply.finish === "length" ? { reason: "max_output_tokens" } : null,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}
