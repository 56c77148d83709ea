// At most 9 fields in an options type. Held are: interfaces and type literals whose name ends in one
// of OPTIONS_NAMES (with what they extend), and object types written in a parameter list. Records and
// ports (a stored row, a commit, the settings) are data and not options, and are named otherwise.

import { codeOf, partnersOf, type SourceFile, type Token } from "../../../scripts/source/tokens.ts";
import { isSource, isUnder, type Violation } from "./violation.ts";

export const OPTION_FIELDS_MAX = 9;

const OPTIONS_NAMES = /(Options|Opts|Params|Parameters|Arguments|Dependencies|Deps)$/;

interface ObjectType {
  path: string;
  line: number;
  name: string;
  fields: number;
  parents: string[];
}

export function optionViolations(files: readonly SourceFile[]): Violation[] {
  const sources = files.filter((file) => isSource(file) && isUnder(file, "src/", "test/", "bench/", "scripts/"));
  const named = sources.flatMap(namedTypes);
  const inline = sources.flatMap(inlineTypes);
  const byName = new Map(named.map((type) => [type.name, type]));
  return [...named.filter((type) => OPTIONS_NAMES.test(type.name)), ...inline].flatMap((type) => {
    const fields = allFields(type, byName, new Set());
    if (fields <= OPTION_FIELDS_MAX) return [];
    const message = `${type.name} has ${fields} fields; at most ${OPTION_FIELDS_MAX}`;
    return [{ path: type.path, line: type.line, message }];
  });
}

function allFields(type: ObjectType, byName: ReadonlyMap<string, ObjectType>, seen: Set<string>): number {
  seen.add(type.name);
  return type.parents.reduce((sum, name) => {
    const parent = seen.has(name) ? undefined : byName.get(name);
    return parent ? sum + allFields(parent, byName, seen) : sum;
  }, type.fields);
}

/** `interface X extends A { … }` and `type X = A & { … }`. */
function namedTypes(file: SourceFile): ObjectType[] {
  const tokens = codeOf(file);
  const partners = partnersOf(tokens);
  return tokens.flatMap((token, index) => {
    const name = tokens[index + 1];
    if ((token.text !== "interface" && token.text !== "type") || name?.kind !== "word") return [];
    if (token.text === "type" && !["=", "<"].includes(tokens[index + 2]?.text ?? "")) return [];
    const { fields, parents } = partsOf(tokens, partners, index + 2, token.text === "interface");
    return [{ path: file.path, line: token.line, name: name.text, fields, parents }];
  });
}

function partsOf(
  tokens: readonly Token[],
  partners: readonly number[],
  from: number,
  endsAtBody: boolean,
): { fields: number; parents: string[] } {
  const parents: string[] = [];
  let fields = 0;
  for (let at = from; at < tokens.length && tokens[at]?.text !== ";"; at += 1) {
    const token = tokens[at];
    const end = partners[at] ?? -1;
    if (token?.text === "{") {
      fields += fieldsBetween(tokens, partners, at, end);
      if (endsAtBody) break;
    } else if (token?.kind === "word" && token.text !== "extends") parents.push(token.text);
    if (end > at) at = end;
  }
  return { fields, parents };
}

/** `(name: { … })`, `({ a, b }: { … })`. */
function inlineTypes(file: SourceFile): ObjectType[] {
  const tokens = codeOf(file);
  const partners = partnersOf(tokens);
  return tokens.flatMap((token, index) => {
    if (token.text !== "{" || tokens[index - 1]?.text !== ":") return [];
    const name = parameterBefore(tokens, partners, index - 2);
    if (name === undefined) return [];
    const fields = fieldsBetween(tokens, partners, index, partners[index] ?? index);
    return [{ path: file.path, line: token.line, name: `the parameter ${name}`, fields, parents: [] }];
  });
}

/** The parameter whose type begins after the colon behind `at`, when that is what the colon is for. */
function parameterBefore(tokens: readonly Token[], partners: readonly number[], at: number): string | undefined {
  const end = tokens[at]?.text === "?" ? at - 1 : at;
  const partner = partners[end] ?? -1;
  const start = partner >= 0 && partner < end ? partner : end;
  const name = start < end ? "(destructured)" : tokens[end]?.kind === "word" ? tokens[end]?.text : undefined;
  let before = start - 1;
  while (["readonly", "public", "private", "protected", "."].includes(tokens[before]?.text ?? "")) before -= 1;
  return name !== undefined && insideParentheses(tokens, partners, before) ? name : undefined;
}

/** Whether the token at `at` is a comma directly inside parentheses, or the opening one. */
function insideParentheses(tokens: readonly Token[], partners: readonly number[], at: number): boolean {
  if (tokens[at]?.text === "(") return true;
  if (tokens[at]?.text !== ",") return false;
  for (let back = at - 1; back >= 0; back -= 1) {
    const partner = partners[back] ?? -1;
    if (partner > back) return tokens[back]?.text === "(";
    if (partner >= 0) back = partner;
  }
  return false;
}

function fieldsBetween(tokens: readonly Token[], partners: readonly number[], open: number, close: number): number {
  let fields = 0;
  let begun = false;
  let angles = 0;
  for (let at = open + 1; at < close; at += 1) {
    const text = tokens[at]?.text;
    if (text === "<") angles += 1;
    if (text === ">") angles -= 1;
    const separates = angles === 0 && (text === ";" || text === ",");
    if (separates && begun) fields += 1;
    begun = !separates;
    const partner = partners[at] ?? -1;
    if (partner > at) at = partner;
  }
  return fields + (begun ? 1 : 0);
}
