// a kept turn of a run becomes the first state of another run. The VM is restored once, told its new
// name, and its snapshot sealed for the new run; the registry then copies what the fork needs in one
// transaction. A crash before it leaves nothing, a crash after it leaves a run that goes on by itself.

import type { ForkRequest } from "../contract/api.ts";
import { fault } from "../contract/fault.ts";
import { defaultGroupId, newRunId } from "../contract/ids.ts";
import type { RunRecord } from "../contract/records.ts";
import type { Forked } from "../registry/history-port.ts";
import type { RunLimits, SwarmContext } from "./context.ts";
import { mustBeReusable, type Requester } from "./submit.ts";

/**
 * Stores the fork; it still has to be woken, and its queued children put in line.
 * @throws Fault `not_found`, `turn_not_kept`, `call_not_pending`, `answer_type`, `snapshot_foreign`, `idempotency_conflict`
 */
export async function createFork(
  context: SwarmContext,
  requester: Requester,
  source: RunRecord,
  request: ForkRequest,
): Promise<Forked> {
  const { registry, guest, clock } = context;
  if (request.reuse !== undefined) await mustBeReusable(context, requester, request.reuse);
  const turn = request.at ?? (await registry.historyPoints(source.runId)).at(-1)?.turn ?? source.turn;
  const viewer = { sessionKey: requester.sessionKey, all: requester.operator };
  const row = await registry.runForTurn(source.runId);
  if (!row || source.archivedAt !== undefined) throw archived(source.runId);
  // Says which turns are kept, before anything is restored.
  if ((await registry.chainAt(source.runId, turn)).length === 0) await registry.pointDetail(source.runId, turn, viewer);
  const stored = JSON.parse(row.limits) as RunLimits;
  const keepHistoryTurns = request.keepHistory ?? stored.codeMode.keepHistoryTurns;
  const limits: RunLimits = { ...stored, codeMode: { ...stored.codeMode, keepHistoryTurns } };
  const runId = newRunId();
  const snapshot = await guest.fork({
    runId,
    source: { runId: source.runId, turn },
    chain: () => registry.chainAt(source.runId, turn),
    limits: limits.codeMode,
    nowMs: clock.now(),
  });
  context.failurePoint("beforeFork");
  const forked = await registry.forkRun({
    runId,
    sourceRunId: source.runId,
    snapshot,
    name: request.name ?? source.name,
    groupId: request.groupId ?? defaultGroupId(source.sessionKey, runId),
    limits: JSON.stringify(limits),
    answers: request.answers.map(({ callId, value }) => ({ callId, value: JSON.stringify(value) })),
    keepHistoryTurns,
    reuseFrom: request.reuse,
    idempotencyKey: request.idempotencyKey,
    at: clock.now(),
  });
  context.failurePoint("afterFork");
  return forked;
}

function archived(runId: string): Error {
  return fault("turn_not_kept", `Run ${runId} was archived; none of its turns is kept any more.`);
}
