// The one honest sentence about answers that no language model gave.

import type { Context } from "./context.ts";

export const OFFLINE_NOTICE =
  "note: answers are offline: fixed text made by quickswarm itself, not by a language model. " +
  "For a model's answers set a key, for example OPENAI_API_KEY, where the gateway starts, " +
  "and use --model openai:MODEL (docs/models.md names the other providers).";

/** Says so on stderr; commands call it once, before the first answer. */
export function sayOffline(context: Context, model: string): void {
  if (model.startsWith("offline:")) context.io.err.line(context.io.err.paint.yellow(OFFLINE_NOTICE));
}
