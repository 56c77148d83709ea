// D-009: results of an earlier run answer the calls of a new one that are the same, whatever their order.
// What is taken is decided in the commit of the turn that spawns (L1): the child is stored as done, with
// where its result comes from, and nothing runs.

import { createHash } from "node:crypto";
import type { ChildOptions } from "../contract/calls.ts";
import { fault } from "../contract/fault.ts";
import { canonicalJson, type Json } from "../contract/json.ts";
import { countGroup, deltaOf } from "./belonging.ts";
import { insertChild } from "./children.ts";
import type { NewChild } from "./port.ts";
import type { ResultRow } from "./sql-origins.ts";
import { appendEvent, type Place, type Store } from "./store.ts";

/**
 * Options that say how a call is shown, waited for or placed, and not what is asked. A call that moves to
 * another phase or gets another label is the same call.
 */
const NOT_ASKED: readonly (keyof ChildOptions)[] = [
  ...([
    "label",
    "phase",
    "key",
    "groupId",
    "timeoutMs",
    "retries",
    "onRestart",
    "model",
    "agentId",
    "session",
  ] as const),
];

/** The number of the run whose results are to be reused. Throws `not_found` when it is not there any more. */
export function runToReuse(store: Store, runId: string): number {
  const source = store.runs.head.get(runId);
  if (!source) throw fault("not_found", `There is no run ${runId} to reuse results of.`);
  return source.n;
}

/** Keeps, for a new run, which results of another one there are: those of calls after `afterCall`. */
export function offerResults(store: Store, runN: number, sourceN: number, afterCall: number): void {
  for (const child of store.origins.doneOfRun.all(sourceN, afterCall)) {
    const options = JSON.parse(child.options) as ChildOptions;
    const { prompt, model, agentId } = child;
    const hash = callHash(store, { prompt, model, agentId, options }, child.n);
    store.origins.insertReusable.run(runN, hash, child.n);
  }
}

/** The result that this call takes: of several equal ones the first that is left. It is taken with this. */
export function resultFor(store: Store, runN: number, child: NewChild): ResultRow | undefined {
  if (store.origins.reuseOf.get(runN) === undefined) return undefined;
  const { prompt, model, options } = child;
  const asked = { prompt, model, agentId: child.agentId ?? null, options };
  const hash = callHash(store, asked, Number.MAX_SAFE_INTEGER);
  const result = store.origins.reusable.get(runN, hash);
  if (result) store.origins.takeReusable.run(runN, hash, result.childN);
  return result;
}

/** Stores a child that is done already. Its waits are answered as they are made. */
export function spawnReused(
  store: Store,
  { child, result }: { child: NewChild; result: ResultRow },
  place: Place,
  at: number,
): void {
  const n = insertChild(store, { ...child, admitted: false }, { ...place, parentN: null, waitCall: null }, at);
  store.origins.copyResult.run(at, result.childN, n);
  store.origins.insertChild.run(n, place.runN, result.childId, null, null, 0);
  countGroup(store, place.groupN, { delta: deltaOf("queued", "done") }, at);
  appendEvent(store, "child.ended", place, at, { childN: n });
  if (child.options.session) store.origins.copyMessages.run(child.options.session.id, n, result.childN);
}

interface Asked {
  prompt: string;
  model: string;
  agentId: string | null;
  options: ChildOptions;
}

/** Two calls with the same hash ask for the same. A turn of a conversation includes all that was said before it. */
function callHash(store: Store, asked: Asked, beforeChildN: number): string {
  const { prompt, model, agentId, options } = asked;
  const said = options.session
    ? { system: options.session.system, before: store.origins.messagesBefore.all(options.session.id, beforeChildN) }
    : null;
  const kept = Object.entries(options).filter(
    ([name, value]) => value !== undefined && !NOT_ASKED.some((each) => each === name),
  );
  const what = { prompt, model, agentId, options: Object.fromEntries(kept), said } as unknown as Json;
  return createHash("sha256").update(canonicalJson(what)).digest("base64");
}
