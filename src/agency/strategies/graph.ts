// Members wait for those they depend on and read what these answered. "tiers": for the whole tier before
// "ready": for their own dependencies alone (B-009).

import { askMember, type Outcome } from "../members.ts";
import type { Run, Slot } from "../run.ts";
import { resultFrom, type StrategyResult, UNANSWERED } from "../strategy.ts";
import type { Member } from "../team.ts";

const SKIPPED = "[skipped by HITL]";

export async function graph(run: Run, prompt: string): Promise<StrategyResult> {
  const outcomes = new Map<string, Outcome>();
  const work = async (member: Member, slot: Slot): Promise<void> => {
    outcomes.set(member.name, await askMember(run, member, promptFor(member, prompt, outcomes), slot));
  };
  if (run.team.scheduling === "ready" && !run.isStream) await whenReady(run, work);
  else for (const tier of run.team.tiers) await runTier(run, tier, work);
  return lastResult(run, outcomes);
}

type Work = (member: Member, slot: Slot) => Promise<void>;

/** a stream's text stays in order when one follows the other. */
async function runTier(run: Run, tier: readonly Member[], work: Work): Promise<void> {
  if (run.isStream) {
    for (const member of tier) await work(member, run.slot());
    return;
  }
  await allOf(tier.map((member) => work(member, run.slot())));
}

async function whenReady(run: Run, work: Work): Promise<void> {
  const started = new Map<string, Promise<void>>();
  for (const member of run.team.tiers.flat()) {
    const slot = run.slot();
    const before = member.dependsOn.map((name) => started.get(name));
    started.set(
      member.name,
      Promise.all(before).then(() => work(member, slot)),
    );
  }
  await allOf([...started.values()]);
}

/** All end before the first failure is thrown, so that none works on unseen (L7) and each that answered has its record. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** the plain text of direct dependencies, in the order in which they are named. */
function promptFor(member: Member, prompt: string, outcomes: ReadonlyMap<string, Outcome>): string {
  if (member.dependsOn.length === 0) return prompt;
  const outputs = member.dependsOn.map((name) => {
    const outcome = outcomes.get(name);
    return `[${name}]:\n${outcome?.kind === "answered" ? outcome.result.text : SKIPPED}`;
  });
  return `Original task: ${prompt}\n\nOutputs from dependencies:\n${outputs.join("\n\n")}`;
}

/** the last that answered in the final tier; earlier tiers stand in when nobody there did. */
function lastResult(run: Run, outcomes: ReadonlyMap<string, Outcome>): StrategyResult {
  for (const tier of [...run.team.tiers].reverse()) {
    for (const member of [...tier].reverse()) {
      const outcome = outcomes.get(member.name);
      if (outcome?.kind === "answered") return resultFrom(outcome.result);
    }
  }
  return UNANSWERED;
}
