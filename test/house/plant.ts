// Plants files for a check, so that each one is seen to go red.

import type { Check } from "./rules/violation.ts";

/** The findings of `check` over files given as path → text. */
export function planted(check: Check, files: { [path: string]: string }): string[] {
  const tree = Object.entries(files).map(([path, text]) => ({ path, text }));
  return check(tree).map(({ path, line, message }) => `${path}:${line} ${message}`);
}

/** `count` lines of text. */
export function lines(count: number, line = "// line"): string {
  return `${Array.from({ length: count }, () => line).join("\n")}\n`;
}
