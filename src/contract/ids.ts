// Identifiers. A run's id is 128 random bits; a child's id is derived from its run and the bridge
// call that asked for it, so the guest knows it before the host has heard of it (laws L1, L2).

import { randomHex } from "./clock.ts";

/** `run_` + 32 hexadecimal digits. */
export type RunId = string;
/** `agt_` + 32 hexadecimal digits + `_` + the number of the call that spawned it. */
export type ChildId = string;
/** Counted inside the VM from 1; part of the snapshot. Unique within a run. */
export type CallId = number;
/** Names the party that asked: a gateway token's session, or a child (`child:<id>`). */
export type SessionKey = string;
export type GroupId = string;

const APPROVAL_ID = /^apr_([0-9a-f]{32})_([0-9]{1,9})$/;
const CHILD_ID = /^agt_[0-9a-f]{32}_[0-9]{1,9}$/;

export function newRunId(): RunId {
  return `run_${randomHex(16)}`;
}

export function childIdOf(runId: RunId, callId: CallId): ChildId {
  return `agt_${runId.slice(4)}_${callId}`;
}

/** A child that no script spawned (`sessions_spawn` from another harness): its number is always 0. */
export function newDetachedChildId(): ChildId {
  return `agt_${randomHex(16)}_0`;
}

/** The id of the approval that a call of a run asks for: like a child's, known before the host has heard of it. */
export function approvalIdOf(runId: RunId, callId: CallId): string {
  return `apr_${runId.slice(4)}_${callId}`;
}

/** The run and the call that an approval's id names; undefined for what is none. */
export function approvalPlaceOf(approvalId: string): { runId: RunId; callId: CallId } | undefined {
  const match = APPROVAL_ID.exec(approvalId);
  return match ? { runId: `run_${match[1]}`, callId: Number(match[2]) } : undefined;
}

export function isChildId(text: string): boolean {
  return CHILD_ID.test(text);
}

/** The run whose script spawned a child; undefined for a child that no script spawned. */
export function runIdOfChild(childId: ChildId): RunId | undefined {
  return childId.endsWith("_0") ? undefined : `run_${childId.slice("agt_".length, childId.lastIndexOf("_"))}`;
}

/** S-004: the group that a spawn without `groupId` belongs to; the same for every turn of a run. */
export function defaultGroupId(sessionKey: SessionKey, requesterRunId: string): GroupId {
  return `swarm:${sessionKey}:${requesterRunId}`;
}

/** The session key under which a child acts when it spawns children itself (S-009). */
export function childSessionKey(childId: ChildId): SessionKey {
  return `child:${childId}`;
}
