// What an offline child says: a short review of its prompt, made by rule and marked as such, so that
// a demonstration has something to show and nobody takes it for a model's answer.

import { streamOf } from "./seed.ts";

/** Every offline text begins with it. */
export const OFFLINE_MARK = "[offline]";
/** Longest piece of the prompt that is quoted, UTF-16 units. */
const QUOTE_CHARS_MAX = 120;
/** Words shorter than this say little, and are not picked. */
const WORD_CHARS_MIN = 5;
const WORDS_PICKED = 5;

/** The conversation that a child continues, oldest first. */
export interface OfflineSession {
  system: string;
  history: { role: "user" | "assistant"; text: string }[];
}

/** The same prompt and session always give the same text. */
export function offlineText(prompt: string, session: OfflineSession | undefined, seed: number): string {
  const lines = prompt.split("\n");
  const words = wordsOf(prompt);
  const heading = lines.find((line) => /^#{1,6}\s/.test(line));
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const about = heading === undefined ? quote(first) : quote(heading.replace(/^#+/, ""));
  const said = [`${OFFLINE_MARK} About ${about}: ${count(words.length, "word")}, ${count(lines.length, "line")}.`];
  const before = session ? beforeLine(session) : undefined;
  if (before) said.push(before);
  const picked = pickedWords(words, seed);
  if (picked.length > 0) said.push(`Words picked from it: ${picked.join(", ")}.`);
  said.push("No model was asked; this text follows from the prompt by rule.");
  return said.join("\n");
}

/** The words of `text`: letters and digits of any script, so never half a character. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function beforeLine(session: OfflineSession): string {
  const asked = session.history.filter((message) => message.role === "user");
  const system = `Message ${asked.length + 1} of a session under ${quote(session.system)}`;
  const last = asked.at(-1);
  return last ? `${system}; the message before it was ${quote(last.text)}.` : `${system}.`;
}

function pickedWords(words: string[], seed: number): string[] {
  const long = [...new Set(words.filter((word) => word.length >= WORD_CHARS_MIN))];
  const stream = streamOf(seed, "words");
  const picked: string[] = [];
  while (picked.length < WORDS_PICKED && long.length > 0) {
    picked.push(...long.splice(stream.below(long.length), 1));
  }
  return picked;
}

function quote(text: string): string {
  const flat = cut(text, QUOTE_CHARS_MAX * 2)
    .replace(/\s+/g, " ")
    .trim();
  if (flat === "") return "an empty text";
  const short = cut(flat, QUOTE_CHARS_MAX);
  return `“${short}${short === flat ? "" : "…"}”`;
}

/** At most `maxChars` UTF-16 units, and never half a character at the end. */
function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : [...text.slice(0, maxChars)].slice(0, -1).join("");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
