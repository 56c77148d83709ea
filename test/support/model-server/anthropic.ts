// The wire of the Anthropic Messages API.

import { inputText, piecesOf, type Reply, serverEvent, USAGE_DEFAULT, type Wire } from "./wire.ts";

export const anthropic: Wire = {
  name: "anthropic",
  matches: (path) => path.endsWith("/messages"),
  isStreamed: (_path, body) => body.stream === true,
  whole: (reply, model) => ({
    ...message(model),
    content: [
      ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
      ...(reply.calls ?? []).map((call, index) => ({ ...toolUse(call.name, index), input: call.input })),
    ],
    stop_reason: stopReason(reply),
    usage: { ...inputUsage(reply), output_tokens: (reply.usage ?? USAGE_DEFAULT).output },
  }),
  pieces,
  errorBody: (status, text) => ({ type: "error", error: { type: `status_${status}`, message: text } }),
  errorPiece: (text) => serverEvent({ type: "error", error: { type: "overloaded_error", message: text } }, "error"),
};

function pieces(reply: Reply, model: string): string[] {
  const start = { ...message(model), usage: { ...inputUsage(reply), output_tokens: 1 } };
  const events: { type: string }[] = [{ type: "message_start", message: start } as { type: string }];
  const block = (index: number, content_block: object, deltas: object[]): void => {
    const all: object[] = [
      { type: "content_block_start", index, content_block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
    events.push(...(all as { type: string }[]));
  };
  const text = reply.text ?? "";
  if (reply.text !== undefined) {
    block(
      0,
      { type: "text", text: "" },
      piecesOf(text).map((piece) => ({ type: "text_delta", text: piece })),
    );
  }
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const deltas = piecesOf(inputText(call)).map((piece) => ({ type: "input_json_delta", partial_json: piece }));
    block(index + 1, { ...toolUse(call.name, index), input: {} }, deltas);
  }
  const usage = { output_tokens: (reply.usage ?? USAGE_DEFAULT).output };
  const end: object[] = [
    { type: "message_delta", delta: { stop_reason: stopReason(reply), stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  return [...events, ...(end as { type: string }[])].map((event) => serverEvent(event, event.type));
}

function message(model: string) {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function toolUse(name: string, index: number) {
  return { type: "tool_use", id: `toolu_${index}`, name };
}

function stopReason(reply: Reply): string {
  if (reply.finish === "length") return "max_tokens";
  if (reply.finish === "refusal") return "refusal";
  return reply.calls?.length ? "tool_use" : "end_turn";
}

/** Here the input tokens are those that were not cached. */
function inputUsage(reply: Reply) {
  const { input, cached = 0 } = reply.usage ?? USAGE_DEFAULT;
  return { input_tokens: input - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 };
}
