// What would break if calls were answered in another order, or the process died anywhere in between? Random
// graphs and managers, random orders of answers, random kills: the run is always the same.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import type { SeatRequest } from "../../src/agency/port.ts";
import { type Journal, lastText, type Reply, ScriptedHost } from "./support.ts";

interface Plan {
  strategy: "graph" | "ready" | "parallel" | "hierarchical";
  /** For each member, which of those before it it depends on. */
  edges: boolean[][];
  /** Rounds of the event loop that an answer takes, in the order of the requests. */
  delays: number[];
  kills: number[];
}

const plans: fc.Arbitrary<Plan> = fc.record({
  strategy: fc.constantFrom("graph", "ready", "parallel", "hierarchical"),
  edges: fc.array(fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), { minLength: 2, maxLength: 6 }),
  delays: fc.array(fc.nat(6), { minLength: 1, maxLength: 20 }),
  kills: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }),
});

function configOf({ strategy, edges }: Plan): AgencyConfig {
  const isGraph = strategy === "graph" || strategy === "ready";
  const agents = edges.map((row, index) => {
    const dependsOn = isGraph
      ? edges.flatMap((_, before) => (before < index && row[before] ? [`m${before}`] : []))
      : [];
    return [`m${index}`, { dependsOn }] as const;
  });
  return {
    model: "openai:gpt-4.1",
    strategy: strategy === "ready" ? "graph" : strategy,
    scheduling: strategy === "ready" ? "ready" : "tiers",
    agents: Object.fromEntries(agents),
  };
}

/** Every answer follows from its request, whenever it comes. */
function answerTo(request: SeatRequest, members: number): Reply {
  if (request.role === "manager" && request.key.index < 2) {
    const calls = Array.from({ length: members }, (_, index) => ({
      id: `c${index}`,
      name: `delegate_to_m${(index * 3) % members}`,
      input: { task: `part ${index} of step ${request.key.index}` },
    }));
    return { toolCalls: calls };
  }
  return `${request.agent} heard ${lastText(request)}`;
}

async function play(plan: Plan, journal: Journal, kill?: number) {
  let sent = 0;
  const settings = kill === undefined ? { journal } : { journal, killAfter: kill };
  const host = new ScriptedHost(async (request) => {
    const delay = plan.delays[sent++ % plan.delays.length] ?? 0;
    for (let round = 0; round < delay; round += 1) await new Promise((resolve) => setImmediate(resolve));
    return answerTo(request, plan.edges.length);
  }, settings);
  const team = createAgency(configOf(plan), host);
  const result = await team.generate("Go.", { runId: "agn_orders" }).catch((error: unknown) => error);
  return { result, usage: await team.usage(), host };
}

test("B-001 B-009 B-010 whatever order answers come in and wherever the process dies, the run is the same", async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.array(fc.nat(6), { minLength: 1, maxLength: 20 }), async (plan, otherDelays) => {
      const whole = await play(plan, new Map());
      expect(whole.result).not.toBeInstanceOf(Error);
      const journal: Journal = new Map();
      const sent = new Map<string, number>();
      for (const kill of [...plan.kills, undefined]) {
        const settledBefore = new Set(journal.keys());
        const round = await play({ ...plan, delays: otherDelays }, journal, kill);
        for (const { key } of round.host.sent) {
          const name = `${key.runId} ${key.path} ${key.index}`;
          expect(settledBefore.has(name)).toBe(false);
          sent.set(name, (sent.get(name) ?? 0) + 1);
        }
        if (kill !== undefined) continue;
        expect(round.result).toEqual(whole.result);
        expect(round.usage).toEqual(whole.usage);
      }
      expect([...journal.keys()].sort()).toEqual([...sent.keys()].sort());
    }),
    { numRuns: 150 },
  );
});
