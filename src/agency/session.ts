// A conversation with an agent or a team: what was said, what it used, and one turn after the other (B-015).

import type { GenerateOptions, Session, SessionMessage } from "./config.ts";
import type { AgencyStream } from "./parts.ts";
import type { SeatUsage } from "./port.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** Most messages of one session that are kept; the oldest go first. */
export const SESSION_MESSAGES_MAX = 1_000;

interface Turns<Result> {
  generate(text: string, history: readonly SessionMessage[], options: GenerateOptions): Promise<Result>;
  /** Begins when `before` has settled. */
  stream(
    text: string,
    history: () => readonly SessionMessage[],
    options: GenerateOptions,
    before: Promise<unknown>,
  ): AgencyStream<Result>;
}

export function openSession<Result extends { text: string; usage: SeatUsage }>(
  id: string,
  turns: Turns<Result>,
): Session<Result> {
  const messages: SessionMessage[] = [];
  let usage: SeatUsage = NO_USAGE;
  let last: Promise<unknown> = Promise.resolve();
  const keep = (said: string, result: Result): void => {
    usage = addUsage(usage, result.usage);
    messages.push({ role: "user", content: said });
    // nobody answered, so nothing stands beside the question.
    if (result.text !== "") messages.push({ role: "assistant", content: result.text });
    messages.splice(0, Math.max(0, messages.length - SESSION_MESSAGES_MAX));
  };
  const inTurn = (turn: Promise<Result>, said: string): Promise<Result> => {
    const kept = turn.then((result) => {
      keep(said, result);
      return result;
    });
    last = kept.catch(() => {});
    return kept;
  };
  return {
    id,
    send: (text, options = {}) =>
      inTurn(
        last.then(() => turns.generate(text, [...messages], options)),
        text,
      ),
    stream: (text, options = {}) => {
      const stream = turns.stream(text, () => [...messages], options, last);
      inTurn(stream.result, text).catch(() => {});
      return stream;
    },
    messages: () => messages.map((message) => ({ ...message })),
    usage: async () => usage,
  };
}

/** The turns before, as text in front of the new one; a team has no history of its own. */
export function promptWith(history: readonly SessionMessage[], text: string): string {
  if (history.length === 0) return text;
  const lines = history.map(({ role, content }) => `${role === "user" ? "User" : "Assistant"}: ${content}`);
  return `Conversation so far:\n${lines.join("\n")}\n\nUser: ${text}`;
}
