// A small tokenizer for TypeScript: enough to tell code from strings, comments and regular
// expressions, so that the house checks and the parity table read sources without a compiler.

export interface SourceFile {
  /** Relative to the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Token {
  kind: "word" | "number" | "string" | "template" | "regex" | "punct" | "comment";
  /** As written. A template is cut at its `${` and `}`: each piece of its text is one token. */
  text: string;
  /** 1-based. */
  line: number;
  endLine: number;
}

const cache = new WeakMap<SourceFile, Token[]>();

/** Every token of a file, comments included. */
export function tokensOf(file: SourceFile): Token[] {
  const known = cache.get(file);
  if (known) return known;
  const tokens = tokenize(file.text);
  cache.set(file, tokens);
  return tokens;
}

/** The tokens without comments. */
export function codeOf(file: SourceFile): Token[] {
  return tokensOf(file).filter((token) => token.kind !== "comment");
}

/** The text between the quotes, with escapes as written. */
export function stringValue(token: Token | undefined): string | undefined {
  return token?.kind === "string" ? token.text.slice(1, -1) : undefined;
}

/** For each bracket (and each template hole) the index of its partner; -1 for all other tokens. */
export function partnersOf(tokens: readonly Token[]): number[] {
  const partners = new Array<number>(tokens.length).fill(-1);
  const open: number[] = [];
  tokens.forEach((token, index) => {
    if (closes(token)) {
      const start = open.pop();
      if (start !== undefined) {
        partners[index] = start;
        partners[start] = index;
      }
    }
    if (opens(token)) open.push(index);
  });
  return partners;
}

function opens(token: Token): boolean {
  if (token.kind === "template") return token.text.endsWith("${");
  return token.kind === "punct" && "([{".includes(token.text);
}

function closes(token: Token): boolean {
  if (token.kind === "template") return token.text.startsWith("}");
  return token.kind === "punct" && ")]}".includes(token.text);
}

const WORD = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#![^\n]*/y;
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE = /`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const TEMPLATE_REST = /\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const PUNCT = /=>|\.\.\.|\?\.(?!\d)|[\s\S]/y;

/** Words after which a slash begins a regular expression. */
const BEFORE_REGEX = new Set("return typeof case in of do else void delete throw new await yield default".split(" "));

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  /** Depth of plain braces inside each open template hole. */
  const holes: number[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      if (text.charAt(at) === "\n") line += 1;
      at += 1;
      continue;
    }
    const [kind, piece] = next(text, at, tokens, holes.at(-1) === 0);
    trackHoles(kind, piece, holes);
    const endLine = line + (piece.match(/\n/g)?.length ?? 0);
    tokens.push({ kind, text: piece, line, endLine });
    line = endLine;
    at += piece.length;
  }
  return tokens;
}

function next(text: string, at: number, before: readonly Token[], holeEnds: boolean): [Token["kind"], string] {
  const tries: [Token["kind"], RegExp, boolean][] = [
    ["comment", COMMENT, true],
    ["template", TEMPLATE_REST, holeEnds],
    ["template", TEMPLATE, true],
    ["string", STRING, true],
    ["word", WORD, true],
    ["number", NUMBER, true],
    ["regex", REGEX, regexMayFollow(before)],
  ];
  for (const [kind, pattern, allowed] of tries) {
    const piece = allowed ? matchAt(pattern, text, at) : undefined;
    if (piece !== undefined) return [kind, piece];
  }
  return ["punct", matchAt(PUNCT, text, at) ?? text.charAt(at)];
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function trackHoles(kind: Token["kind"], piece: string, holes: number[]): void {
  if (kind === "template") {
    if (piece.startsWith("}")) holes.pop();
    if (piece.endsWith("${")) holes.push(0);
  } else if (kind === "punct" && holes.length > 0) {
    const depth = holes.pop() ?? 0;
    holes.push(piece === "{" ? depth + 1 : piece === "}" ? depth - 1 : depth);
  }
}

function regexMayFollow(before: readonly Token[]): boolean {
  const last = before.findLast((token) => token.kind !== "comment");
  if (!last) return true;
  if (last.kind === "word") return BEFORE_REGEX.has(last.text);
  if (last.kind === "template") return last.text.endsWith("${");
  return last.kind === "punct" && !")]}".includes(last.text);
}
