// The one honest sentence about answers that no language model gave.

import type { Context } from "./context.ts";

export const OFFLINE_NOTICE =
  "note: answers are offline: fixed text made by quickswarm itself, not by a language model. " +
  "Real model providers are not part of this version yet.";

/** Says so on stderr; commands call it once, before the first answer. */
export function sayOffline(context: Context, model: string): void {
  if (model.startsWith("offline:")) context.io.err.line(context.io.err.paint.yellow(OFFLINE_NOTICE));
}
