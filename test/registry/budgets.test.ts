// kill -9 while a request is under way: what was billed is there, and what was reserved is charged once.

import { expect, test } from "vitest";
import { detachedIdOf, OPERATOR, runIdOf } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { openFor, startProgram } from "./files.ts";

test("B-003 B-005 R-004 killed -9 with a request under way: what was spent stays, what was reserved is charged once and stands no longer", async () => {
  const dataDir = tempDir();
  const program = startProgram("spend.mjs", [dataDir, runIdOf(1), detachedIdOf(1)]);
  expect(await program.next()).toEqual({ reserved: true });
  program.process.kill("SIGKILL");
  await program.ended;
  for (let start = 0; start < 3; start += 1) {
    const registry = await openFor(dataDir);
    await registry.recover(1);
    expect(await registry.runSpending(runIdOf(1))).toMatchObject({ tokens: 400, tokensLeft: 600 });
    const spent = { inputTokens: 90, outputTokens: 10, assumedTokens: 300 };
    expect((await registry.run(runIdOf(1), OPERATOR))?.spent).toMatchObject(spent);
    expect((await registry.childForRun(detachedIdOf(1)))?.record).toMatchObject({
      status: "queued",
      usage: { inputTokens: 90, outputTokens: 10 },
    });
    await registry.close();
  }
  const registry = await openFor(dataDir);
  await registry.recover(1);
  await registry.claimChildren([detachedIdOf(1)], 1);
  const estimate = { inputTokens: 0, outputTokens: 600, outputTokensMin: 600, price: undefined };
  const request = { childId: detachedIdOf(1), attempt: 2, estimate, at: 1 };
  expect(await registry.reserve(request)).toMatchObject({ kind: "reserved", outputTokens: 600 });
});
