// Reads the corpus. A hostile script says in its first comments what it does and how it must end:
//
//     // A loop that does nothing.
//     // ends: turn_timeout | memory_limit
//
// `ends` names fault codes of which one must end the run (`parked`: it waits for ever, which costs nothing, and
// is stopped); `returns` is the JSON that it may return, and may stand several times. See KEYS for the rest.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FAULT_TABLE } from "../../../src/contract/fault-table.ts";
import type { Json } from "../../../src/contract/json.ts";

export const CATEGORIES = [
  ...["cpu", "memory", "stack", "jobs", "bridge", "tamper", "escape", "text", "schema", "result", "resume"],
] as const;
export type Category = (typeof CATEGORIES)[number];

/** How a run may end, and what may be left of it. */
export interface Expectation {
  /** Fault codes, or `parked`. */
  codes: string[];
  values: Json[];
  /** Part of the error's message. */
  says?: string | undefined;
  /** Most notes that are kept of it. */
  notesMax?: number | undefined;
  /** Exactly so many children were made. */
  children?: number | undefined;
}

/** What is done to its stored snapshots while the gateway is down. */
export type Damage = "flip" | "cut" | "empty" | "foreign" | "older" | "delete";
const DAMAGES: readonly string[] = ["flip", "cut", "empty", "foreign", "older", "delete"] satisfies Damage[];

export interface HostileScript {
  /** `category/name`. */
  name: string;
  category: Category;
  about: string;
  text: string;
  expectation: Expectation;
  model?: string | undefined;
  language: "js" | "ts";
  /** The gateway is restarted whenever the script waits for the child `hold restart one`, `hold restart two` … */
  restarts: number;
  damage?: Damage | undefined;
  /** Time goes on while it waits. */
  clockRuns: boolean;
  /** A text that must not be found in what is stored of it. */
  forgets?: string | undefined;
}

/** What each line of a header adds. */
const KEYS: { [key: string]: (value: string, script: HostileScript) => Partial<HostileScript & Expectation> } = {
  ends: (value, { expectation }) => ({ codes: [...expectation.codes, ...value.split("|").map(knownCode)] }),
  returns: (value, { expectation }) => ({ values: [...expectation.values, JSON.parse(value) as Json] }),
  says: (says) => ({ says }),
  notes: (value) => ({ notesMax: wholeNumber(value) }),
  children: (value) => ({ children: wholeNumber(value) }),
  model: (model) => ({ model }),
  language: (value) => ({ language: value === "ts" ? "ts" : "js" }),
  restarts: (value) => ({ restarts: wholeNumber(value) }),
  damages: (value) => ({ damage: knownDamage(value) }),
  clock: () => ({ clockRuns: true }),
  forgets: (forgets) => ({ forgets }),
};
const OF_EXPECTATION: readonly string[] = ["ends", "returns", "says", "notes", "children"];

const HEADER_LINE = /^\/\/ ?(.*)$/;
const KEYED = /^([a-z]+): (.+)$/;

/** Every script of the corpus, by category and name. */
export function readCorpus(): HostileScript[] {
  const root = fileURLToPath(new URL("../corpus", import.meta.url));
  return CATEGORIES.flatMap((category) =>
    readdirSync(join(root, category))
      .sort()
      .map((file) => parseScript(`${category}/${file}`, readFileSync(join(root, category, file), "utf8"))),
  );
}

/** @param path `category/name.js`. Throws with the path and the line for a header that is not understood. */
export function parseScript(path: string, text: string): HostileScript {
  const match = /^([a-z]+)\/([a-z-]+)\.js$/.exec(path);
  const category = CATEGORIES.find((known) => known === match?.[1]);
  if (!match || !category) throw new RangeError(`${path} is no category/name.js`);
  const name = `${category}/${match[2]}`;
  const expectation: Expectation = { codes: [], values: [] };
  const script: HostileScript = {
    name,
    category,
    about: "",
    text,
    expectation,
    language: "js",
    restarts: 0,
    clockRuns: false,
  };
  for (const line of text.split("\n")) {
    const content = HEADER_LINE.exec(line)?.[1];
    if (content === undefined) break;
    const [, key, value] = KEYED.exec(content) ?? [];
    if (key === undefined || value === undefined) script.about += `${script.about === "" ? "" : " "}${content}`;
    else if (!Object.hasOwn(KEYS, key)) throw new RangeError(`${path}: the header has no key "${key}"`);
    else Object.assign(OF_EXPECTATION.includes(key) ? expectation : script, KEYS[key]?.(value, script));
  }
  if (script.about === "") throw new RangeError(`${path} does not say what it does`);
  if (expectation.codes.length + expectation.values.length === 0) throw new RangeError(`${path} does not say its end`);
  return script;
}

function knownCode(text: string): string {
  const code = text.trim();
  if (code === "parked" || Object.hasOwn(FAULT_TABLE, code)) return code;
  throw new RangeError(`there is no fault code "${code}"`);
}

function knownDamage(value: string): Damage {
  if (DAMAGES.includes(value)) return value as Damage;
  throw new RangeError(`there is no damage "${value}"`);
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new RangeError(`"${value}" is no whole number`);
}
