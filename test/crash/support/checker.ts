// What must hold after any number of crashes, as one function over three independent accounts: what was
// acknowledged to the client, what the runner's ledger says, and what the registry holds at the end.

import type { SwarmEvent } from "../../../src/contract/events.ts";
import type { Stored } from "./host-process.ts";
import type { Job } from "./jobs.ts";
import { isAfter, type LedgerLine, type Place } from "./ledger.ts";

export type Rule =
  | "submit lost"
  | "submit doubled"
  | "run stuck"
  | "run quarantined"
  | "run ended wrong"
  | "end changed"
  | "child spawned twice or lost"
  | "child stuck"
  | "child run again after its completion"
  | "attempt run twice"
  | "answer changed"
  | "settled twice"
  | "step forgotten"
  | "note lost or doubled"
  | "cap exceeded";

export interface Violation {
  rule: Rule;
  about: string;
}

/** What a client was told, and where in the ledger that was. */
export interface Acknowledged {
  submits: Map<string, string>;
  children: (Place & { runId: string; status: string; result: string })[];
  ends: { runId: string; state: string; result: string }[];
}

export interface Accounts {
  jobs: Job[];
  acknowledged: Acknowledged;
  ledger: LedgerLine[];
  stored: Stored;
  caps: { group: number; global: number };
}

export function violationsOf(accounts: Accounts): Violation[] {
  return [
    ...runViolations(accounts),
    ...acknowledgedViolations(accounts),
    ...attemptViolations(accounts),
    ...stepViolations(accounts.ledger),
    ...historyViolations(accounts.stored.events),
    ...capViolations(accounts),
  ];
}

function runViolations({ jobs, acknowledged, stored }: Accounts): Violation[] {
  const childrenOf = new Map<string, string[]>();
  for (const { parentRunId, prompt } of stored.children) {
    childrenOf.set(parentRunId ?? "", [...(childrenOf.get(parentRunId ?? "") ?? []), prompt]);
  }
  return jobs.flatMap((job) => {
    const found: Violation[] = [];
    const add = (rule: Rule, about: string): void => void found.push({ rule, about: `${job.key}: ${about}` });
    const runs = stored.runs.filter((run) => run.name === job.key);
    const run = runs[0];
    const acknowledgedId = acknowledged.submits.get(job.key);
    if (runs.length > 1) add("submit doubled", `${runs.length} runs`);
    if (!run || (acknowledgedId !== undefined && run.runId !== acknowledgedId)) add("submit lost", `${acknowledgedId}`);
    if (!run) return found;
    if (run.state === "running" || run.state === "waiting") add("run stuck", run.state);
    else if (run.state === "quarantined") add("run quarantined", `after ${run.resumeCrashes} crashes`);
    else if (endOf(run) !== JSON.stringify(job.end)) add("run ended wrong", endOf(run));
    else if (!same(run.notes, job.notes)) add("note lost or doubled", run.notes.join(" / "));
    const prompts = childrenOf.get(run.runId) ?? [];
    if (!same([...prompts].sort(), [...job.prompts].sort())) add("child spawned twice or lost", prompts.join(" / "));
    return found;
  });
}

function endOf(run: Stored["runs"][number]): string {
  if (run.state === "done") return JSON.stringify({ state: run.state, result: run.result ?? null });
  return JSON.stringify({ state: run.state, code: run.error?.code });
}

function same(left: string[], right: string[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** What a client was told stays true, and costs nothing again. */
function acknowledgedViolations({ acknowledged, ledger, stored }: Accounts): Violation[] {
  const children = new Map(stored.children.map((child) => [child.runId, child]));
  const runs = new Map(stored.runs.map((run) => [run.runId, run]));
  const starts = startsByChild(ledger);
  const completions = acknowledged.children.flatMap((told): Violation[] => {
    const child = children.get(told.runId);
    const again = (starts.get(told.runId) ?? []).filter((start) => isAfter(start, told));
    const changed = child?.status !== told.status || child.result !== told.result;
    return [
      ...again.map((start): Violation => {
        const about = `${told.runId}: attempt ${start.attempt} in process ${start.incarnation}`;
        return { rule: "child run again after its completion", about };
      }),
      ...(changed
        ? [{ rule: "answer changed", about: `${told.runId}: ${told.status}, now ${child?.status}` } as const]
        : []),
    ];
  });
  const ends = acknowledged.ends.flatMap(({ runId, state, result }): Violation[] => {
    const run = runs.get(runId);
    const kept = run?.state === state && JSON.stringify(run.result ?? null) === result;
    return kept || state === "quarantined"
      ? []
      : [{ rule: "end changed", about: `${runId}: ${state}, now ${run?.state}` }];
  });
  return [...completions, ...ends];
}

type Start = LedgerLine & { what: "start" };

function startsByChild(ledger: LedgerLine[]): Map<string, Start[]> {
  const starts = new Map<string, Start[]>();
  for (const line of ledger) {
    if (line.what === "start") starts.set(line.child, [...(starts.get(line.child) ?? []), line]);
  }
  return starts;
}

/** An attempt has one number, and a later one a greater one; every answer has been paid for. */
function attemptViolations({ ledger, stored }: Accounts): Violation[] {
  const starts = startsByChild(ledger);
  const finished = new Set(
    ledger.filter((line) => line.what === "finish").map((line) => `${line.child} ${line.attempt}`),
  );
  const numbers = [...starts].flatMap(([child, list]) =>
    list.flatMap((start, index): Violation[] => {
      const before = list[index - 1];
      if (!before || start.attempt > before.attempt) return [];
      return [{ rule: "attempt run twice", about: `${child}: ${start.attempt} after ${before.attempt}` }];
    }),
  );
  const records = stored.children.flatMap((child): Violation[] => {
    if (child.status === "queued" || child.status === "running")
      return [{ rule: "child stuck", about: `${child.runId}: ${child.status}` }];
    const paid = finished.has(`${child.runId} ${child.attempts}`);
    const own = child.status === "done" || child.errorCode === "child_failed";
    return own && !paid
      ? [{ rule: "answer changed", about: `${child.runId}: attempt ${child.attempts} never finished` }]
      : [];
  });
  return [...numbers, ...records];
}

/** A step that was durable is handed to every later attempt. */
function stepViolations(ledger: LedgerLine[]): Violation[] {
  const durable = new Map<string, number>();
  return ledger.flatMap((line): Violation[] => {
    if (line.what === "step") durable.set(line.child, Math.max(durable.get(line.child) ?? 0, line.step + 1));
    if (line.what !== "start") return [];
    const wanted = durable.get(line.child) ?? 0;
    if (line.steps.length >= wanted) return [];
    return [{ rule: "step forgotten", about: `${line.child}: ${line.steps.length} of ${wanted}` }];
  });
}

/** The committed history of a child: spawned, attempts counted up, ended once, and nothing behind that. */
export function historyViolations(events: SwarmEvent[]): Violation[] {
  const spawned = new Set<string>();
  const ended = new Set<string>();
  return events.flatMap((event): Violation[] => {
    if (event.type === "child.spawned") {
      if (spawned.has(event.childId)) return [{ rule: "child spawned twice or lost", about: event.childId }];
      spawned.add(event.childId);
    }
    if (event.type === "child.started" && ended.has(event.childId)) {
      return [{ rule: "child run again after its completion", about: `${event.childId}: attempt ${event.attempt}` }];
    }
    if (event.type === "child.ended") {
      if (ended.has(event.childId)) return [{ rule: "settled twice", about: event.childId }];
      ended.add(event.childId);
    }
    return [];
  });
}

/** Children that ran at once, by the ledger: a process that was killed runs none any more. */
function capViolations({ ledger, caps }: Accounts): Violation[] {
  const found: Violation[] = [];
  let open = new Map<string, string>();
  for (const line of ledger) {
    if (line.what === "boot") open = new Map();
    if (line.what === "finish" || line.what === "abort") open.delete(line.child);
    if (line.what !== "start") continue;
    const group = line.child.replace(/_\d+$/, "");
    open.set(line.child, group);
    const inGroup = [...open.values()].filter((other) => other === group).length;
    if (inGroup > caps.group) found.push({ rule: "cap exceeded", about: `${inGroup} of ${group}` });
    if (open.size > caps.global) found.push({ rule: "cap exceeded", about: `${open.size} in all` });
  }
  return found;
}
