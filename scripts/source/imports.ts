// What a file imports: static imports, re-exports, dynamic imports and `import("x")` types.

import { codeOf, type SourceFile, stringValue, type Token } from "./tokens.ts";

export interface ImportOf {
  specifier: string;
  /** Only types cross: `import type`, or every name is marked `type`. */
  typeOnly: boolean;
  line: number;
}

export function importsOf(file: SourceFile): ImportOf[] {
  const tokens = codeOf(file);
  const found: ImportOf[] = [];
  tokens.forEach((token, index) => {
    if (token.kind !== "word" || tokens[index - 1]?.text === ".") return;
    const entry =
      token.text === "import" || token.text === "export"
        ? statement(tokens, index)
        : token.text === "require"
          ? called(tokens, index)
          : undefined;
    if (entry) found.push(entry);
  });
  return found;
}

/** The file that a relative specifier names, or undefined for a package. */
export function resolveImport(fromPath: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const parts = fromPath.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function called(tokens: readonly Token[], index: number): ImportOf | undefined {
  if (tokens[index + 1]?.text !== "(") return undefined;
  const specifier = stringValue(tokens[index + 2]);
  return specifier === undefined ? undefined : { specifier, typeOnly: false, line: tokens[index]?.line ?? 0 };
}

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`. */
function statement(tokens: readonly Token[], index: number): ImportOf | undefined {
  const line = tokens[index]?.line ?? 0;
  const dynamic = called(tokens, index);
  if (dynamic) return dynamic;
  const bare = stringValue(tokens[index + 1]);
  if (bare !== undefined) return { specifier: bare, typeOnly: false, line };
  const clause = clauseEnd(tokens, index + 1);
  const specifier = tokens[clause]?.text === "from" ? stringValue(tokens[clause + 1]) : undefined;
  if (specifier === undefined) return undefined;
  return { specifier, typeOnly: onlyTypes(tokens.slice(index + 1, clause)), line };
}

/** The index of the first token that cannot be part of an import or export clause, or of its `from`. */
function clauseEnd(tokens: readonly Token[], from: number): number {
  let at = from;
  let braces = 0;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.text === "{") braces += 1;
    else if (token?.text === "}") braces -= 1;
    else if (token?.kind === "word") {
      const ends = token.text === "from" && tokens[at + 1]?.kind === "string";
      if (braces === 0 && ends) return at;
    } else if (token?.kind !== "string" && token?.text !== "*" && token?.text !== ",") return at;
  }
  return at;
}

function onlyTypes(clause: readonly Token[]): boolean {
  if (clause[0]?.text === "type" && clause[1]?.text !== "," && clause.length > 1) return true;
  if (clause[0]?.text !== "{") return false;
  const names = clause
    .slice(1, -1)
    .map((token) => token.text)
    .join(" ")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.length > 0 && names.every((name) => name.startsWith("type "));
}
