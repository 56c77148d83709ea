// How many VM worker threads this machine gets.

import { availableParallelism } from "node:os";

/** @param configured 0 = cores - 1, at least 1 */
export function vmWorkerCount(configured: number): number {
  return configured > 0 ? configured : Math.max(availableParallelism() - 1, 1);
}
