// No word of the machine a file was written on: its paths, its registries. Every text file counts.

import type { SourceFile } from "../../../scripts/source/tokens.ts";
import type { Violation } from "./violation.ts";

// Built from pieces, so that this file does not say what it forbids.
const MACHINE_WORDS: readonly [string, RegExp][] = [
  ["a path of one machine", new RegExp(`(^|[^\\w.$}])/${"(work|farm|root|home|Users)"}/[\\w.]`)],
  ["a file outside the project", new RegExp(["\\.\\.", "shared"].join("/"))],
  ["a package registry's host", new RegExp(`https?://[^/\\s"]*(${["npm", "debian", "pypi"].join("|")})[^/\\s"]*/`)],
  ["a package registry's host", new RegExp(["registry", "npmjs", "org"].join("\\."))],
];

export function machineViolations(files: readonly SourceFile[]): Violation[] {
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((content, index) => {
      const row = MACHINE_WORDS.find(([, pattern]) => pattern.test(content));
      return row ? [{ path, line: index + 1, message: `names ${row[0]}: ${content.trim().slice(0, 80)}` }] : [];
    }),
  );
}
