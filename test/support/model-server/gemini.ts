// The wire of Gemini's generateContent.

import { piecesOf, type Reply, serverEvent, USAGE_DEFAULT, type Wire } from "./wire.ts";

export const gemini: Wire = {
  name: "gemini",
  matches: (path) => /:(generateContent|streamGenerateContent)$/.test(path),
  isStreamed: (path) => path.endsWith(":streamGenerateContent"),
  whole: (reply) => answer(reply, parts(reply, [reply.text ?? ""]), true),
  pieces: (reply) => {
    const texts = piecesOf(reply.text ?? "").map((text) => answer(reply, [{ text }], false));
    return [...texts, answer(reply, parts(reply, []), true)].map((event) => serverEvent(event));
  },
  errorBody: (status, message) => ({ error: { code: status, message, status: `STATUS_${status}` } }),
  errorPiece: (message) => serverEvent({ error: { code: 503, message, status: "UNAVAILABLE" } }),
};

function parts(reply: Reply, texts: string[]): object[] {
  const calls = (reply.calls ?? []).map((call) => ({ functionCall: { name: call.name, args: call.input } }));
  return [...texts.map((text) => ({ text })), ...calls];
}

function answer(reply: Reply, content: object[], isLast: boolean): object {
  const usage = reply.usage ?? USAGE_DEFAULT;
  const candidate = {
    index: 0,
    content: { role: "model", parts: content },
    ...(isLast ? { finishReason: finish(reply) } : {}),
  };
  if (!isLast) return { candidates: [candidate] };
  const usageMetadata = {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
    cachedContentTokenCount: usage.cached ?? 0,
  };
  return { candidates: [candidate], usageMetadata };
}

function finish(reply: Reply): string {
  if (reply.finish === "length") return "MAX_TOKENS";
  return reply.finish === "refusal" ? "SAFETY" : "STOP";
}
