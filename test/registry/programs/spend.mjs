// Bills one request, reserves for a second one, says that both are durable, and then waits to be killed.
// Started by budgets.test.ts. Usage: spend.mjs DIR RUN CHILD

import { writeSync } from "node:fs";
import { systemClock } from "../../../dist/contract/clock.js";
import { openRegistry } from "../../../dist/registry/open.js";

const [dataDir, runId, childId] = process.argv.slice(2);
const registry = await openRegistry({ dataDir, clock: systemClock });
await registry.recover(0);
const texts = { name: "crash", language: "js", fileName: "crash.js", sourceText: "x", code: "y", args: undefined };
const place = { sessionKey: "owner", parentSessionKey: null, groupId: "g", agentId: undefined, model: "m" };
await registry.createRun({
  ...{ runId, ...texts, ...place, idempotencyKey: undefined, limits: "{}", at: 0 },
  budget: { tokens: 1_000 },
});
const child = { childId, callId: 0, prompt: "p", options: {}, depth: 1, admitted: true, deadlineAt: null, ...place };
const groupLimits = { maxChildrenPerGroup: 9, maxTotalPerGroup: 9 };
await registry.spawnDetached({ child, parentRunId: runId, groupLimits, idempotencyKey: undefined, at: 0 });
const estimate = { inputTokens: 100, outputTokens: 200, outputTokensMin: 1, price: undefined };
const first = await registry.reserve({ childId, attempt: 1, estimate, at: 0 });
const usage = { inputTokens: 90, outputTokens: 10 };
await registry.bill({ childId, reservationId: first.reservationId, usage, costUsd: undefined });
await registry.reserve({ childId, attempt: 1, estimate, at: 0 });
writeSync(1, `${JSON.stringify({ reserved: true })}\n`);
systemClock.setTimer(600_000, () => {});
