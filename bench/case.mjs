// One case of one trial, in a process of its own: node bench/case.mjs ID CASE DIR [--quick].
// Sends its rows to the process that started it.

import { tableText } from "./support/table.mjs";
import { TRIALS } from "./trials/all.mjs";

const [id, name, dir, mode] = process.argv.slice(2);
const quick = mode === "--quick";
const found = TRIALS.find((trial) => trial.id === id)
  ?.cases(quick)
  .find((each) => each.name === name);
if (!found) throw new Error(`there is no case ${name} of trial ${id}`);
const rows = await found.run({ dir, quick });
if (process.send) process.send(rows, () => process.disconnect());
else console.log(tableText(rows));
