// What becomes of the children that a run had spawned when it is forked. The fork has a child of its own for
// each, so that stopping one run never hurts the other; what was answered is not paid again:
// - final ones are copied, with no usage;
// - a live one is followed: the fork's child runs nothing, holds no place, and ends as the original ends;
// - one that was killed since has no answer and goes on from its last stored step;
// - one whose answer is set by the fork is done with that.
// When an original is killed, the first that followed it goes on by itself and the others follow that one.

import type { ChildOptions } from "../contract/calls.ts";
import { childIdOf } from "../contract/ids.ts";
import { countGroup, type Delta, deltaOf } from "./belonging.ts";
import { CHILD_CHANGES, type ChildChanges, type ForkedChildRow } from "./sql-forks.ts";
import type { PastCallRow } from "./sql-history.ts";
import { appendEvent, type Place, type Store } from "./store.ts";

export type Fate = "copied" | "followed" | "again" | "changed";

/** The fork's child for one of the original run's. */
export interface Twin {
  n: number;
  childId: string;
  sourceId: string;
  fate: Fate;
  status: string;
  live: boolean;
  /** When it is final: when it became so, for the order of answers. */
  endedAt: number;
}

/** The run that the children belong to from here on. */
export interface ForkPlace extends Place {
  runN: number;
  runId: string;
  /** The run that is forked. */
  sourceN: number;
  at: number;
}

export interface SetAnswer {
  callId: number;
  value: string;
}

/** @param waits the pending wait of each child of the original run, by the child's number */
export function forkChild(
  store: Store,
  place: ForkPlace,
  child: ForkedChildRow,
  wait: PastCallRow | undefined,
  set: SetAnswer | undefined,
): Twin {
  const fate = fateOf(child, wait, set);
  const live = fate === "followed" || fate === "again";
  const status = fate === "changed" ? "done" : live ? "queued" : child.status;
  const childId = childIdOf(place.runId, child.callId);
  const n = insertTwin(store, place, child, { childId, status, fate, waitCall: live ? (wait?.callId ?? null) : null });
  const followsN = fate === "followed" ? (child.followsN ?? child.n) : null;
  const changed = fate === "changed" ? 1 : 0;
  store.origins.insertChild.run(n, place.runN, child.childId, child.knownAs, followsN, changed);
  if (child.inSession === 1) moveConversation(store, place, child, n);
  if (set && fate === "changed") store.forks.setResult.run(...resultOf(child, set.value), n);
  const text = store.forks.resultText.get(n) ?? "";
  if (child.inSession === 1 && status === "done") converse(store, n, text);
  if (fate === "again") store.forks.copySteps.run(n, child.n);
  countGroup(store, place.groupN, { delta: deltaOf(null, status), spawned: 1 }, place.at);
  appendEvent(store, "child.spawned", place, place.at, { childN: n });
  if (!live) appendEvent(store, "child.ended", place, place.at, { childN: n });
  return { n, childId, sourceId: child.childId, fate, status, live, endedAt: child.endedAt ?? place.at };
}

function fateOf(child: ForkedChildRow, wait: PastCallRow | undefined, set: SetAnswer | undefined): Fate {
  if (set) return "changed";
  if (child.endedAt === null) return "followed";
  return wait && child.status === "killed" ? "again" : "copied";
}

interface TwinFacts {
  childId: string;
  status: string;
  fate: Fate;
  waitCall: number | null;
}

function insertTwin(store: Store, place: ForkPlace, child: ForkedChildRow, facts: TwinFacts): number {
  const { childId, status, fate, waitCall } = facts;
  const live = fate === "followed" || fate === "again";
  const used = live ? null : 0;
  const changes: ChildChanges = {
    ...{ child_id: childId, run_n: place.runN, session_n: place.sessionN, group_n: place.groupN, status },
    ...{ attempt: fate === "followed" ? 0 : child.attempt, deadline_at: null, created_at: place.at },
    ...{ started_at: null, ended_at: live ? null : place.at, wait_call: waitCall, parent_n: null },
    ...{ input_tokens: used, output_tokens: used, cost_usd: used, cached_tokens: null },
    ...{ unpriced: 0, assumed_tokens: 0, assumed_usd: 0 },
  };
  const values = CHILD_CHANGES.map((name) => changes[name]);
  const n = Number(store.forks.copyChild.run(...values, child.n).lastInsertRowid);
  store.forks.copyChildInput.run(n, child.n);
  if (fate !== "copied") store.forks.clearEnd.run(n);
  return n;
}

/** The text, and the value when one was asked for. */
function resultOf(child: ForkedChildRow, value: string): [text: string, structured: string | null] {
  if (child.wantsValue === 1) return [value, value];
  return [JSON.parse(value) as string, null];
}

/** G-005: a conversation of the fork is its own from here on, with what was said until here. */
function moveConversation(store: Store, place: ForkPlace, child: ForkedChildRow, n: number): void {
  const options = JSON.parse(child.options) as ChildOptions;
  if (!options.session) return;
  const text = JSON.stringify({ ...options, session: { ...options.session, id: sessionIdIn(place.runId, options) } });
  store.forks.setOptions.run(text, n);
  store.forks.setInputOptions.run(text, n);
}

function sessionIdIn(runId: string, options: ChildOptions): string {
  return (options.session?.id ?? "").replace(/^ses_[0-9a-f]{32}/, `ses_${runId.slice(4)}`);
}

/** G-005: a session's turn is what was asked and what was answered. */
export function converse(store: Store, childN: number, text: string): void {
  const input = store.children.inputOf.get(childN);
  const session = input ? (JSON.parse(input.options) as ChildOptions).session : undefined;
  if (!input || !session) return;
  store.transcripts.insertMessage.run(session.id, childN, "user", input.prompt);
  store.transcripts.insertMessage.run(session.id, childN, "assistant", text);
}

/** What the fork's counts of children begin with. */
export function countOf(statuses: readonly string[]): Delta {
  const sum: Delta = [0, 0, 0, 0, 0, 0];
  for (const status of statuses) {
    for (const [index, each] of deltaOf(null, status).entries()) sum[index] = (sum[index] ?? 0) + each;
  }
  return sum;
}

/**
 * An original is about to be killed: the first of those that follow it goes on by itself, from its last stored
 * step; the others follow that one.
 */
export function releaseFollowers(store: Store, original: { n: number; childId: string }): void {
  const [first, ...others] = store.forks.followers.all(original.n);
  if (!first) return;
  store.forks.setAttempt.run(original.n, first.n);
  store.forks.copySteps.run(first.n, original.n);
  store.forks.setFollows.run(null, original.childId, first.n);
  for (const other of others) store.forks.setFollows.run(first.n, first.childId, other.n);
}
