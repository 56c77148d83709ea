// Which of the compiler's findings help the author of a script, and in which words. A script runs with its
// types removed, so in JavaScript only what would go wrong when it runs is said: names that do not exist,
// and calls of the declarations with wrong options or arguments. TypeScript has asked for more.

import { nearest } from "../../contract/nearest.ts";

export type Language = "js" | "ts";

/** One thing that is wrong, at an offset (from 0, in UTF-16 units) of the author's text. */
export interface Finding {
  offset: number;
  /** TypeScript's number, as "TS2339", or "unawaited". */
  code: string;
  message: string;
}

/** What the compiler said about one place. */
export interface Said {
  code: number;
  text: string;
  /** Members of the type that the text speaks of, when agents.d.ts declares it. */
  members: readonly string[];
  /** The place is in a call of something that agents.d.ts declares. */
  inGuestCall: boolean;
}

export const UNAWAITED =
  "Nothing waits for this promise: what it gives is lost, and a rejection fails the run. " +
  "Put `await` before it, or use agents.spawn to start an agent without waiting.";

/** "Cannot find name", in its forms with and without a suggestion, and with advice for other surroundings. */
const UNKNOWN_NAMES = new Set([2304, 2552, 2503, 18004, 2663, 2686]);
const UNKNOWN_NAMES_ELSEWHERE = new Set([2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2867, 2868]);
/** "Property … does not exist on type …", without and with a suggestion. */
const UNKNOWN_MEMBERS = new Set([2339, 2551]);
/** "Cannot find module": a script has none. */
const MODULES = new Set([2307, 2792, 2882, 1232, 1233, 1295]);
/** "Expected … arguments", wrong ones, unknown options, options of a wrong type. */
const BAD_ARGUMENTS = new Set([2554, 2555, 2556, 2345, 2322, 2353, 2561, 2559, 2769, 2740, 2739, 2741]);

/** The words for it; undefined when it is of no help. */
export function worthSaying(said: Said, language: Language): string | undefined {
  const { code, text } = said;
  if (UNKNOWN_NAMES.has(code)) return withHint(text);
  // Their advice is to install types of an environment that a script does not run in.
  if (UNKNOWN_NAMES_ELSEWHERE.has(code)) return withHint(firstSentence(text), NO_MODULES);
  if (MODULES.has(code)) return `${firstSentence(text)} ${NO_MODULES}`;
  if (code === NEEDS_CODE) return NEEDS_CODE_TEXT;
  if (UNKNOWN_MEMBERS.has(code)) return language === "ts" || isNamed(text) ? withNearest(said) : undefined;
  if (language === "js" && !(BAD_ARGUMENTS.has(code) && said.inGuestCall)) return undefined;
  return text;
}

/** "This syntax is not allowed when 'erasableSyntaxOnly' is enabled". */
const NEEDS_CODE = 1294;
const NEEDS_CODE_TEXT =
  "Types are removed and nothing is made for them: enum, namespace and parameter properties are refused. Use a plain object.";
const NO_MODULES = "A script has no modules and no Node.js; its only way out is `agents`.";

const HINTS = new Map([
  ["setTimeout", "Use `await sleep(milliseconds)`."],
  ["setInterval", "Use a loop with `await sleep(milliseconds)`."],
  ["process", "A script sees no process; what it needs comes in `args`."],
  ["fetch", "A script has no network; its only way out is `agents`."],
]);

function withHint(text: string, otherwise?: string): string {
  const hint = HINTS.get(/'(\w+)'/.exec(text)?.[1] ?? "") ?? otherwise;
  return hint === undefined ? text : `${firstSentence(text)} ${hint}`;
}

function withNearest({ text, members }: Said): string {
  const name = /^Property '(.+?)'/.exec(text)?.[1];
  const near = name === undefined || text.includes("Did you mean") ? undefined : nearest(name, members);
  return near === undefined ? text : `${text} Did you mean '${near}'?`;
}

/** A type with a name, or of the declarations; an object literal of the script itself may get members later. */
function isNamed(text: string): boolean {
  const type = /on type '(.*?)'\.( Did you mean .*)?$/s.exec(text)?.[1] ?? "";
  return /^([A-Z]|\{ readonly )/.test(type) || /^(string|number|boolean|readonly )/.test(type) || type.endsWith("[]");
}

function firstSentence(text: string): string {
  return text.replace(/\. .*$/s, ".");
}
