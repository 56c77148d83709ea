// The source line of an error, with a caret below it, from the script as it was submitted (I-005).

import type { RunRecord } from "../contract/records.ts";

type RunError = NonNullable<RunRecord["error"]>;

/** The error with its excerpt, when its place has a line and no excerpt yet. */
export function withExcerpt(error: RunError, lines: string[]): RunError {
  const line = error.place?.line;
  const text = line === undefined ? undefined : lines[line - 1];
  if (text === undefined || error.place?.excerpt !== undefined) return error;
  const caret = " ".repeat(Math.max((error.place?.column ?? 1) - 1, 0));
  return { ...error, place: { ...error.place, excerpt: `${text}\n${caret}^` } };
}
