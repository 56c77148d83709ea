// The property itself: a script that is played with restarts answers as it does without, in the same
// settle order; and nothing that had ended begins again (R-001, R-004, L1, L2, L3, L4, L12).

import fc from "fast-check";
import { expect } from "vitest";
import { FAILURE_POINTS } from "../../../src/registry/open.ts";
import { SWARM_FAILURE_POINTS } from "../../../src/swarm/context.ts";
import { historyViolations } from "../../crash/support/checker.ts";
import { type How, type Plan, type Played, play } from "./play.ts";
import { looksAround, type Part, programs, scriptOf } from "./programs.ts";
import type { Theatre } from "./theatre.ts";

export const SEED = 20261130;
/** Restarts come with one of the first decisions, so that most programs live to see them. */
const DECISION_MAX = 6;
/** Points that every program comes to. */
const POINTS = [...SWARM_FAILURE_POINTS, ...FAILURE_POINTS].filter((point) => !/Timers|RunEnd/.test(point));

export const gentle: fc.Arbitrary<How> = fc.constantFrom("calm", "hasty");
export const deadly: fc.Arbitrary<How> = fc.record({
  point: fc.constantFrom(...POINTS),
  occurrence: fc.integer({ min: 1, max: 3 }),
});

function plans(how: fc.Arbitrary<How>): fc.Arbitrary<Plan> {
  return fc.record({
    dice: fc.array(fc.nat(1_000), { minLength: 30, maxLength: 60, size: "max" }),
    cuts: fc.array(fc.record({ at: fc.nat(DECISION_MAX), how }), { minLength: 1, maxLength: 3 }),
    bursts: fc.boolean(),
  });
}

/** Throws, with the script, when a restart made a difference that the order of settlements does not explain. */
async function sameWithRestarts(theatre: Theatre, program: Part, drawn: Plan): Promise<void> {
  const script = scriptOf(program);
  const plan = { ...drawn, bursts: drawn.bursts && !looksAround(program) };
  const reference = await play(theatre, script, { ...plan, cuts: [] });
  const cut = await play(theatre, script, plan);
  const about = `\n${script}\n${JSON.stringify(plan.cuts)}`;
  expect(cut.broken, about).toEqual([]);
  expect({ end: cut.end, notes: cut.notes }, about).toEqual({ end: reference.end, notes: reference.notes });
  expect(childrenOf(cut, plan), about).toEqual(childrenOf(reference, plan));
  for (const { end, order } of [reference, cut]) {
    const { trace } = (end.result ?? { trace: [] }) as { trace: string[] };
    expect(trace, about).toEqual(order.slice(0, trace.length));
    if (end.state === "done" && !plan.bursts) expect(trace.length, about).toBe(order.length);
  }
}

/** In a burst a child may still have been answered, or no longer, when its run ended. */
function childrenOf({ children }: Played, { bursts }: Plan): unknown {
  return bursts ? children.map(({ callId, prompt }) => [callId, prompt]) : children;
}

export async function holds(theatre: Theatre, how: fc.Arbitrary<How>, numRuns: number, more = {}): Promise<void> {
  const property = fc.asyncProperty(programs, plans(how), (program, plan) => sameWithRestarts(theatre, program, plan));
  await fc.assert(property, { seed: SEED, numRuns, ...more });
  expect(historyViolations(await theatre.stage.history())).toEqual([]);
}
