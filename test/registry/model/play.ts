// What the operations of one random sequence share, and the acts that a turn is made of.

import fc from "fast-check";
import type { Registry } from "../../../src/registry/port.ts";
import type { Model } from "./model.ts";

const ACTS = ["ask", "ask", "spawn", "waitOne", "waitAny", "waitAnyTimed", "waitAnyNow", "sleep", "cancel"] as const;
export const ENDS = ["no", "no", "no", "no", "no", "no", "no", "done", "failed", "cancelling"] as const;
export const STATUSES = ["done", "done", "failed", "timeout"] as const;
export const pick = fc.nat({ max: 1_000 });

export const actOf = fc.record({ act: fc.constantFrom(...ACTS), x: pick, y: pick });
export type Act = { act: (typeof ACTS)[number]; x: number; y: number };

export type End = (typeof ENDS)[number];

export const ERROR = { code: "script_error", message: "m", next: "n" } as const;

/** What the operations of one sequence share. `sent` are writes whose promises nobody has awaited yet. */
export interface Play {
  registry: Registry;
  readonly model: Model;
  readonly groupIds: Set<string>;
  readonly sent: Promise<unknown>[];
  now: number;
}

export function nth<Entry>(entries: Iterable<Entry>, index: number): Entry | undefined {
  const all = [...entries];
  return all.length === 0 ? undefined : all[index % all.length];
}

export function send<Value>(play: Play, writing: Promise<Value>, check: (value: Value) => void): void {
  play.sent.push(writing.then(check));
}
