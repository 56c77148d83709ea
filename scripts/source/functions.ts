// Where the functions of a file begin and end, read from its tokens: declarations, methods, accessors
// and arrows. A function's length is counted from the line of its name or parameters to its last line.

import { codeOf, partnersOf, type SourceFile, type Token } from "./tokens.ts";

export interface FunctionSpan {
  name: string;
  line: number;
  endLine: number;
  /** Token indexes (into `codeOf`) of the body, braces included. */
  bodyStart: number;
  bodyEnd: number;
}

/** Words before `(…) {` that make it a statement and not a function. */
const CONTROL = new Set("if for while switch catch with await return".split(" "));

/** Words that never stand in a return type: meeting one means that the brace is no function body. */
const NOT_A_TYPE = new Set(
  "class interface extends implements enum namespace module declare else try finally do static catch export import type default return throw yield await case of in new const let var".split(
    " ",
  ),
);

export function functionsOf(file: SourceFile): FunctionSpan[] {
  const tokens = codeOf(file);
  const partners = partnersOf(tokens);
  const found: FunctionSpan[] = [];
  tokens.forEach((token, index) => {
    if (token.text === "=>" && token.kind === "punct") found.push(arrow(tokens, partners, index));
    if (token.text !== "{" || token.kind !== "punct" || !endsAType(tokens[index - 1])) return;
    const parameters = parametersBefore(tokens, partners, index);
    if (parameters === undefined) return;
    const head = nameBefore(tokens, parameters);
    if (head !== undefined) found.push(span(tokens, head, index, partners[index] ?? index));
  });
  return found;
}

/** A function's body stands behind its parameters or its return type. */
function endsAType(token: Token | undefined): boolean {
  if (token?.kind === "punct") return ")]}>".includes(token.text);
  return token?.kind === "word" || token?.kind === "string" || token?.kind === "number";
}

function span(tokens: readonly Token[], head: number, bodyStart: number, bodyEnd: number): FunctionSpan {
  const first = tokens[head];
  const name = first?.kind === "word" && first.text !== "function" ? first.text : "(anonymous)";
  return { name, line: first?.line ?? 0, endLine: tokens[bodyEnd]?.endLine ?? 0, bodyStart, bodyEnd };
}

function arrow(tokens: readonly Token[], partners: readonly number[], index: number): FunctionSpan {
  const start = index + 1;
  const end = tokens[start]?.text === "{" ? (partners[start] ?? start) : expressionEnd(tokens, partners, start);
  return span(tokens, arrowHead(tokens, partners, index), start, end);
}

/** The last token of an arrow's expression body (or of the result in a function type). */
function expressionEnd(tokens: readonly Token[], partners: readonly number[], start: number): number {
  let at = start;
  while (at < tokens.length) {
    const token = tokens[at];
    const partner = partners[at] ?? -1;
    if (token?.kind === "punct" && partner <= at && ",;)]}".includes(token.text)) break;
    if (token?.text === ">" && "{>,);|=".includes(tokens[at + 1]?.text ?? ";")) break;
    if (token?.kind === "template" && token.text.startsWith("}") && partner < start) break;
    at = partner > at && token?.kind !== "template" ? partner + 1 : at + 1;
  }
  return Math.max(start, at - 1);
}

/** The name an arrow is given, else its parameters. */
function arrowHead(tokens: readonly Token[], partners: readonly number[], index: number): number {
  let head = index - 1;
  if (tokens[head]?.text !== ")") {
    const parameters = parametersBefore(tokens, partners, index);
    if (parameters !== undefined) head = parameters;
  } else head = partners[head] ?? head;
  const before = tokens[head - 1]?.text === "async" ? head - 1 : head;
  const given = tokens[before - 1]?.text === "=" || tokens[before - 1]?.text === ":";
  return given && tokens[before - 2]?.kind === "word" ? before - 2 : before;
}

/** The `(` of the parameter list that the body at `index` belongs to; steps over a return type. */
function parametersBefore(tokens: readonly Token[], partners: readonly number[], index: number): number | undefined {
  let at = index - 1;
  if (tokens[at]?.text === ")") return partners[at];
  while (at > 0) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    const partner = partners[at] ?? -1;
    if (token.text === ":" && token.kind === "punct") {
      const returns = tokens[at - 1]?.text === ")" && at < index - 1;
      return returns ? partners[at - 1] : undefined;
    }
    if (partner >= 0 && partner < at) at = partner - 1;
    else if (partsOfATypeName(token)) at -= 1;
    else return undefined;
  }
  return undefined;
}

function partsOfATypeName(token: Token): boolean {
  if (token.kind === "word") return !NOT_A_TYPE.has(token.text);
  if (token.kind === "punct") return ["|", "&", ".", "<", ">", ",", "=>"].includes(token.text);
  return token.kind === "string" || token.kind === "number";
}

/** The token that names the function whose parameters open at `open`; undefined for control statements. */
function nameBefore(tokens: readonly Token[], open: number): number | undefined {
  let at = open - 1;
  if (tokens[at]?.text === ">") at = genericsStart(tokens, at) - 1;
  const token = tokens[at];
  if (token?.kind === "word") return CONTROL.has(token.text) ? undefined : at;
  if (token?.kind === "string" || token?.text === "]" || token?.text === "*") return at;
  return undefined;
}

function genericsStart(tokens: readonly Token[], close: number): number {
  let depth = 0;
  for (let at = close; at > 0; at -= 1) {
    if (tokens[at]?.text === ">") depth += 1;
    if (tokens[at]?.text === "<") depth -= 1;
    if (depth === 0) return at;
  }
  return 0;
}
