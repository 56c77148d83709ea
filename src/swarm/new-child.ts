// A child as it is right after the commit that stored it, without reading it back: an admitted one is
// running, attempt 1; another is queued.

import type { ChildRecord } from "../contract/records.ts";
import type { ChildForRun, NewChild } from "../registry/port.ts";

/** @param at the commit's time, milliseconds since the epoch */
export function childAsStored(child: NewChild, at: number): ChildForRun {
  const record: ChildRecord = {
    runId: child.childId,
    status: child.admitted ? "running" : "queued",
    result: "",
    sessionKey: child.sessionKey,
    model: child.model,
    prompt: child.prompt,
    attempts: child.admitted ? 1 : 0,
    groupId: child.groupId,
    parentRunId: null,
    callId: child.callId,
    createdAt: at,
  };
  if (child.options.label !== undefined) record.label = child.options.label;
  if (child.options.phase !== undefined) record.phase = child.options.phase;
  if (child.agentId !== undefined) record.agentId = child.agentId;
  if (child.admitted) record.startedAt = at;
  return { record, options: child.options, depth: child.depth, deadlineAt: child.deadlineAt, ticket: 0 };
}
