// The wire of Ollama's chat: one JSON document a line.

import { piecesOf, type Reply, USAGE_DEFAULT, type Wire } from "./wire.ts";

export const ollama: Wire = {
  name: "ollama",
  matches: (path) => path.endsWith("/api/chat"),
  isStreamed: (_path, body) => body.stream !== false,
  whole: (reply, model) => ({ ...last(reply, model), message: message(reply.text ?? "", reply) }),
  pieces: (reply, model) => {
    const texts = piecesOf(reply.text ?? "").map((text) => ({
      ...head(model),
      message: message(text, {}),
      done: false,
    }));
    const calls = reply.calls?.length ? [{ ...head(model), message: message("", reply), done: false }] : [];
    return [...texts, ...calls, { ...last(reply, model), message: message("", {}) }].map(
      (line) => `${JSON.stringify(line)}\n`,
    );
  },
  errorBody: (_status, text) => ({ error: text }),
  errorPiece: (text) => `${JSON.stringify({ error: text })}\n`,
};

function head(model: string) {
  return { model, created_at: "2027-01-15T08:00:00Z" };
}

function message(content: string, { calls }: Pick<Reply, "calls">) {
  const tool_calls = (calls ?? []).map((call) => ({ function: { name: call.name, arguments: call.input } }));
  return { role: "assistant", content, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
}

function last(reply: Reply, model: string) {
  const usage = reply.usage ?? USAGE_DEFAULT;
  return {
    ...head(model),
    done: true,
    done_reason: reply.finish === "length" ? "length" : "stop",
    total_duration: 1_000_000,
    load_duration: 1,
    prompt_eval_count: usage.input,
    prompt_eval_duration: 1,
    eval_count: usage.output,
    eval_duration: 1,
  };
}
