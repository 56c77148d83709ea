// What a team is told when its final text is to be JSON, and when it was not.

import type { OutputSchema } from "./config.ts";

/** Longest piece of a reply that is quoted back. */
const QUOTED_CHARS_MAX = 8_000;

export function askForJson(prompt: string, schema: OutputSchema): string {
  const keys = keysOf(schema);
  const what =
    keys.length === 0
      ? "Respond with JSON alone."
      : `Respond with one JSON object alone, with these top-level keys: ${keys.join(", ")}.`;
  return `${prompt}\n\n${what}`;
}

export function askAgain(asked: string, reply: string): string {
  const quoted = reply.length > QUOTED_CHARS_MAX ? `${reply.slice(0, QUOTED_CHARS_MAX)}…` : reply;
  return `${asked}\n\nThe previous reply was not the JSON that is asked for:\n${quoted}\n\nRespond again, with that JSON alone.`;
}

function keysOf(schema: OutputSchema): string[] {
  const { shape } = schema as { shape?: unknown };
  return typeof shape === "object" && shape !== null ? Object.keys(shape) : [];
}
