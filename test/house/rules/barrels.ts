// src/index.ts is the only barrel: no other file may do nothing but hand on what others export.

import { codeOf, partnersOf, type SourceFile, type Token } from "../../../scripts/source/tokens.ts";
import { isSource, type Violation } from "./violation.ts";

const ONLY_BARREL = "src/index.ts";

export function barrelViolations(files: readonly SourceFile[]): Violation[] {
  return files.filter(isSource).flatMap((file) => {
    if (file.path === ONLY_BARREL || !onlyHandsOn(codeOf(file))) return [];
    return [{ path: file.path, line: 1, message: `only re-exports; ${ONLY_BARREL} is the only barrel` }];
  });
}

function onlyHandsOn(tokens: readonly Token[]): boolean {
  const partners = partnersOf(tokens);
  let exported = false;
  let at = 0;
  while (at < tokens.length) {
    const isExport = tokens[at]?.text === "export";
    if (!isExport && tokens[at]?.text !== "import") return false;
    const next = tokens[at + 1]?.text === "type" ? tokens[at + 2]?.text : tokens[at + 1]?.text;
    if (isExport && next !== "*" && next !== "{") return false;
    exported ||= isExport;
    at = statementEnd(tokens, partners, at) + 1;
  }
  return exported;
}

function statementEnd(tokens: readonly Token[], partners: readonly number[], start: number): number {
  let at = start;
  while (at < tokens.length && tokens[at]?.text !== ";") {
    const partner = partners[at] ?? -1;
    at = partner > at ? partner + 1 : at + 1;
  }
  return at;
}
