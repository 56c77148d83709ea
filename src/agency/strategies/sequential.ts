// One member after the other, in roster order: a chain of refinement.

import { askMember } from "../members.ts";
import type { Run } from "../run.ts";
import { resultFrom, type StrategyResult, UNANSWERED } from "../strategy.ts";

export async function sequential(run: Run, prompt: string): Promise<StrategyResult> {
  let input = prompt;
  let result = UNANSWERED;
  for (const member of run.team.members) {
    const outcome = await askMember(run, member, input);
    // who was skipped leaves everything as it was.
    if (outcome.kind === "skipped") continue;
    result = resultFrom(outcome.result);
    input = `Original task: ${prompt}\n\nPrevious agent output:\n${result.text}`;
  }
  return result;
}
