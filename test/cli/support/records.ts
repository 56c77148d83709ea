// Records with everything filled in, to be changed where a test needs it.

import type { ChildRecord, RunDetail, RunRecord } from "../../../src/contract/records.ts";

export const RUN_ID = `run_${"0".repeat(32)}`;
export const NO_CHILDREN = { queued: 0, running: 0, done: 0, failed: 0, killed: 0, timeout: 0 };
export const EMPTY_CENSUS = { done: 0, failed: 0, killed: 0, timeout: 0, schema: 0, problems: [], warnings: [] };

export function runRecord(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: RUN_ID,
    name: "review.js",
    state: "done",
    sessionKey: "operator",
    groupId: `swarm:operator:${RUN_ID}`,
    language: "js",
    scriptHash: "0".repeat(64),
    model: "offline:echo",
    turn: 3,
    children: NO_CHILDREN,
    resumeCrashes: 0,
    createdAt: 1_800_000_000_000,
    endedAt: 1_800_000_004_200,
    ...changes,
  };
}

export function childRecord(changes: Partial<ChildRecord> = {}): ChildRecord {
  return {
    runId: `agt_${"0".repeat(32)}_1`,
    status: "done",
    result: "text",
    sessionKey: "operator",
    model: "offline:echo",
    prompt: "Read it",
    attempts: 1,
    groupId: `swarm:operator:${RUN_ID}`,
    parentRunId: RUN_ID,
    callId: 1,
    createdAt: 1_800_000_000_000,
    startedAt: 1_800_000_001_000,
    endedAt: 1_800_000_002_500,
    ...changes,
  };
}

export function runDetail(changes: Partial<RunDetail> = {}): RunDetail {
  return { run: runRecord(), pending: [], children: [], notes: [], census: EMPTY_CENSUS, ...changes };
}
