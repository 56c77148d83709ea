// The command line of the bench: --json FILE, --only W1,W3, --quick.

import { parseArgs } from "node:util";

export const USAGE = "usage: npm run bench -- [--json FILE] [--only W1,W3] [--quick]";

/** @param {string[]} words @param {string[]} known ids of all trials */
export function benchArguments(words, known) {
  const { values } = parseArgs({
    args: words,
    options: { json: { type: "string" }, only: { type: "string" }, quick: { type: "boolean", default: false } },
  });
  const only = values.only?.split(",").map((id) => id.trim().toUpperCase());
  const unknown = only?.filter((id) => !known.includes(id)) ?? [];
  if (unknown.length > 0) throw new Error(`--only: expected some of ${known.join(", ")}, got ${unknown.join(", ")}`);
  return { json: values.json, ids: only ?? known, quick: values.quick };
}
