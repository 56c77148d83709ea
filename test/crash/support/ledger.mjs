// The runner's own truth, like a provider's bill: a file that is only appended to. What a killed process
// has written stays, since the kernel holds it; nothing of it passes through the registry.

import { openSync, writeSync } from "node:fs";

/** @param {string} path @param {number} incarnation counts the processes that have had this ledger, from 1 */
export function openLedger(path, incarnation) {
  const file = openSync(path, "a", 0o600);
  let line = 0;
  const write = (entry) => {
    line += 1;
    writeSync(file, `${JSON.stringify({ ...entry, incarnation, line })}\n`);
  };
  write({ what: "boot" });
  return {
    write,
    /** Lines that this process has written; places an acknowledgement among them. */
    get line() {
      return line;
    },
  };
}
