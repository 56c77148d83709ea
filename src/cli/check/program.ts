// The process that a check runs in: one line of JSON in, one out. It ends when its input does, so that it
// never outlives the command that began it (law L7).

import { createInterface } from "node:readline";
import { type CheckedText, findingsOf } from "./typescript.ts";

const input = createInterface({ input: process.stdin });
input.on("close", () => process.exit());
input.once("line", async (line) => {
  const found = await findingsOf(JSON.parse(line) as CheckedText);
  process.stdout.write(`${JSON.stringify({ found })}\n`, () => process.exit());
});
