// A file opens with what it is for; the laws it names exist. A *.test.ts is opened by its name and titles.

import { type SourceFile, tokensOf } from "../../../scripts/source/tokens.ts";
import { isSource, isUnder, type Violation } from "./violation.ts";

const LAWS_MAX = 12;

export function headerViolations(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => isSource(file) && isUnder(file, "src/", "test/", "bench/", "scripts/"))
    .filter((file) => !file.path.endsWith(".test.ts"))
    .flatMap((file) => {
      const first = tokensOf(file).find((token) => !token.text.startsWith("#!"));
      if (first?.kind === "comment") return [];
      return [{ path: file.path, line: 1, message: "does not open with what it is for" }];
    });
}

export function lawViolations(files: readonly SourceFile[]): Violation[] {
  return files.filter(isSource).flatMap((file) =>
    tokensOf(file).flatMap(({ kind, text, line }) => {
      const laws = kind === "comment" ? (text.match(/\bL\d{1,2}\b/g) ?? []) : [];
      const unknown = laws.filter((law) => Number(law.slice(1)) < 1 || Number(law.slice(1)) > LAWS_MAX);
      return unknown.map((law) => ({
        path: file.path,
        line,
        message: `names ${law}; the laws are L1 to L${LAWS_MAX}`,
      }));
    }),
  );
}
