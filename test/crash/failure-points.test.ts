import { describe, expect, test } from "vitest";
import { FAILURE_POINTS } from "../../src/registry/open.ts";
import { SWARM_FAILURE_POINTS } from "../../src/swarm/context.ts";
import type { Rule, Violation } from "./support/checker.ts";
import { JOB_KINDS, jobOf, jobsFrom } from "./support/jobs.ts";
import { sideBySide } from "./support/side-by-side.ts";
import { Supervisor } from "./support/supervisor.ts";

const POINTS = [...SWARM_FAILURE_POINTS, ...FAILURE_POINTS];
const OCCURRENCES = [1, 2, 3, 4, 5];
/** Every kind of script, and enough that ends outside a turn. */
const JOBS = [...jobsFrom(0, JOB_KINDS.length), ...[1, 2, 3, 4].map((n) => jobOf("greedy", n))];
const PLANT_GUARD_MS = 3_000;

interface Survived {
  /** How many of the kills happened. */
  kills: number;
  violations: Violation[];
  complaints: string[];
}

/** Kills at the n-th occurrence, once more at the first one after the restart, and then lets everything end. */
async function survive(point: string, occurrence: number, plant?: string): Promise<Survived> {
  const supervisor = new Supervisor();
  let kills = 0;
  let stored: Awaited<ReturnType<Supervisor["finish"]>>;
  for (const kill of [{ point, occurrence }, { point, occurrence: 1 }, undefined]) {
    await supervisor.start({ kill, plant });
    supervisor.submit(...(supervisor.jobs.length === 0 ? JOBS : []));
    stored = await supervisor.finish(plant === undefined ? undefined : PLANT_GUARD_MS);
    if (stored) break;
    expect(await supervisor.host?.death).toMatchObject({ signal: "SIGKILL" });
    kills += 1;
  }
  if (!stored) throw new Error("the host died although nobody killed it");
  const violations = supervisor.check(stored);
  if (plant === undefined) await supervisor.close();
  else await supervisor.host?.kill();
  return { kills, violations, complaints: supervisor.complaints };
}

describe("killed at every named failure point", () => {
  test.each(POINTS)(
    "R-001 R-002 R-004 L1 L3 L12 nothing is lost or done twice when the process dies at %s, at its 1st to 5th occurrence and again at once",
    async (point) => {
      const survived = await sideBySide(2, OCCURRENCES, (occurrence) => survive(point, occurrence));
      expect(survived.flatMap(({ violations, complaints }) => [...violations, ...complaints])).toEqual([]);
      expect(survived.filter(({ kills }) => kills === 0)).toEqual([]);
    },
  );
});

/** Plant → where it is killed, and what the checker must say at one of the occurrences. */
const PLANTED: [plant: string, point: string, rule: Rule][] = [
  ["losesSettlement", "afterSettle", "run stuck"],
  ["startsBeforeCommit", "beforeCommit", "attempt run twice"],
  ["forgetsAttempt", "afterChildRun", "attempt run twice"],
  ["forgetsKey", "afterCommit", "submit doubled"],
  ["rerunsEnded", "afterSettle", "child run again after its completion"],
];
const PLANTED_OCCURRENCES = [8, 7, 9, 6, 10, 5, 12];

describe("the checker sees planted defects", () => {
  test.each(PLANTED)("a registry that %s is found out", async (plant, point, rule) => {
    const seen = new Set<Rule>();
    for (const occurrence of PLANTED_OCCURRENCES) {
      if (seen.has(rule)) break;
      for (const violation of (await survive(point, occurrence, plant)).violations) seen.add(violation.rule);
    }
    expect([...seen]).toContain(rule);
  });
});
