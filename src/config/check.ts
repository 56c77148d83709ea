// Holds a parsed configuration file against the schema and says everything that is wrong with it at once,
// each problem with its path, what was got, what was expected, and the likely typo (C-001, C-003, I-005).

import { z } from "zod";
import { nearest } from "../contract/nearest.ts";
import { AGENTS_COUNT_MAX } from "./fields.ts";
import { AGENT_ID, AGENT_ID_EXPECTED, type Config, configSchema } from "./schema.ts";

export type ConfigProblem =
  | { kind: "unknown_key"; path: string; key: string; didYouMean?: string | undefined }
  | { kind: "wrong_value"; path: string; got: string; expected: string };

export type Checked = { config: Config; problems: [] } | { config: undefined; problems: ConfigProblem[] };

type Path = readonly PropertyKey[];

/** Most problems that one message lists. */
export const PROBLEMS_COUNT_MAX = 50;
/** The schema is less deep than this; what lies deeper is already unknown. */
const SCAN_DEPTH_MAX = 10;
const GOT_CHARS_MAX = 80;

/** The configuration when nothing is wrong with `raw`, otherwise every problem in it. */
export function checkConfig(raw: unknown): Checked {
  const problems = [...prototypeKeys(raw, [], 0), ...agentKeys(raw)];
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) problems.push(...parsed.error.issues.flatMap((issue) => problemsOf(issue, raw, [])));
  if (parsed.success && problems.length === 0) return { config: parsed.data, problems: [] };
  const seen = new Map(problems.map((problem) => [`${problem.kind} ${problem.path}`, problem]));
  return { config: undefined, problems: [...seen.values()].slice(0, PROBLEMS_COUNT_MAX) };
}

/** One problem as one line. */
export function problemText(problem: ConfigProblem): string {
  if (problem.kind === "wrong_value") return `${problem.path}: got ${problem.got}, expected ${problem.expected}`;
  const hint = problem.didYouMean === undefined ? "" : `; did you mean ${JSON.stringify(problem.didYouMean)}?`;
  return `${problem.path}: unknown key ${JSON.stringify(problem.key)}${hint}`;
}

/** A value as a person wrote it, cut to a readable length. */
export function gotText(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "number") return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= GOT_CHARS_MAX ? text : `${text.slice(0, GOT_CHARS_MAX)}…`;
}

function problemsOf(issue: z.core.$ZodIssue, raw: unknown, base: Path): ConfigProblem[] {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    // An own "__proto__" is reported by prototypeKeys, once.
    return issue.keys.filter((key) => key !== "__proto__").map((key) => unknownKey([...path, key], key));
  }
  if (issue.code === "invalid_union") {
    // boolean | object: when an object was given, what is wrong inside it is what matters.
    const inside = issue.errors.find((branch) => branch.some((one) => one.path.length > 0 || isKeyIssue(one)));
    if (inside) return inside.flatMap((one) => problemsOf(one, raw, path));
  }
  if (issue.code === "invalid_key") {
    const why = issue.issues[0]?.message ?? issue.message;
    return [wrongValue(pathText(path), gotText(path.at(-1)), why)];
  }
  // A key may be of the wrong shape and a key all the same.
  const got = isSecret(path) ? "a value that is not shown" : gotText(valueAt(raw, path));
  return [wrongValue(pathText(path), got, issue.message)];
}

/** Keys, and what programs and servers of tools are given. */
function isSecret(path: Path): boolean {
  if (path.at(-1) === "apiKey") return true;
  const [top, section, , field] = path;
  return top === "tools" && section === "mcp" && ["env", "headers", "args", "url"].includes(String(field));
}

function isKeyIssue(issue: z.core.$ZodIssue): boolean {
  return issue.code === "unrecognized_keys";
}

function unknownKey(path: Path, key: string): ConfigProblem {
  return { kind: "unknown_key", path: pathText(path), key, didYouMean: suggestion(path.slice(0, -1), key) };
}

/** A near sibling; or else the full path of a key of that very name elsewhere. */
function suggestion(parent: Path, key: string): string | undefined {
  const freeAt = parent[0] === "agents" ? 1 : parent[0] === "models" || parent[1] === "mcp" ? 2 : -1;
  const prefix = parent.map((part, index) => (index === freeAt ? "*" : String(part)));
  const known = knownPaths(configSchema, []);
  const siblings = known.filter((path) => path.length === prefix.length + 1 && prefix.every((p, i) => p === path[i]));
  const near = nearest(
    key,
    siblings.map((path) => path.at(-1) ?? ""),
  );
  if (near !== undefined) return near;
  return known.find((path) => path.at(-1) === key && !path.includes("*"))?.join(".");
}

function knownPaths(schema: unknown, at: string[]): string[][] {
  if (schema instanceof z.ZodOptional) return knownPaths(schema.unwrap(), at);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => knownPaths(option, at));
  if (schema instanceof z.ZodRecord) return knownPaths(schema.valueType, [...at, "*"]);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([key, inner]) => [[...at, key], ...knownPaths(inner, [...at, key])]);
}

/** JSON5 can write an own key "__proto__", which zod's records pass over; it is never a setting. */
function prototypeKeys(value: unknown, path: Path, depth: number): ConfigProblem[] {
  if (typeof value !== "object" || value === null || depth > SCAN_DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([key, inner]): ConfigProblem[] => {
    const here = [...path, key];
    if (key === "__proto__") return [{ kind: "unknown_key", path: pathText(here), key }];
    return prototypeKeys(inner, here, depth + 1);
  });
}

function agentKeys(raw: unknown): ConfigProblem[] {
  const agents = valueAt(raw, ["agents"]);
  if (typeof agents !== "object" || agents === null || Array.isArray(agents)) return [];
  const ids = Object.keys(agents);
  const wrong = ids
    .filter((id) => !AGENT_ID.test(id) && id !== "__proto__")
    .map((id): ConfigProblem => wrongValue(pathText(["agents", id]), gotText(id), AGENT_ID_EXPECTED));
  if (ids.length > AGENTS_COUNT_MAX) {
    wrong.push(wrongValue("agents", `${ids.length} agents`, `at most ${AGENTS_COUNT_MAX}`));
  }
  return wrong;
}

function wrongValue(path: string, got: string, expected: string): ConfigProblem {
  return { kind: "wrong_value", path, got, expected };
}

function valueAt(raw: unknown, path: Path): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** `agents.reader.tools[0]`; keys that are no plain words stand in quotes. */
function pathText(path: Path): string {
  if (path.length === 0) return "the whole file";
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    const key = String(part);
    if (!/^[\w-]+$/.test(key)) return `${text}[${JSON.stringify(key.slice(0, GOT_CHARS_MAX))}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}
