// Members argue over rounds, one after the other; each reads all that was said before it. Then the judge writes
// the verdict: N members over R rounds are N x R calls and one.

import { askMember } from "../members.ts";
import type { Run } from "../run.ts";
import { askChair, resultFrom, type StrategyResult, UNANSWERED } from "../strategy.ts";

const JUDGE_BRIEF =
  "You are the judge of a debate. Read the motion and all that was said, weigh the arguments and not the number " +
  "of those who made them, and write the verdict: a clear answer to the motion and the reasons that carry it.";

const TURN_TASK =
  "It is your turn. Quote the strongest opposing claim, attack it, and add one new point. Write about 150 words.";

export async function debate(run: Run, motion: string): Promise<StrategyResult> {
  const turns: string[] = [];
  for (let round = 1; round <= run.team.maxRounds; round += 1) {
    for (const member of run.team.members) {
      const outcome = await askMember(run, member, turns.length === 0 ? motion : turnPrompt(motion, turns));
      // a turn that is sat out leaves nothing in the transcript.
      if (outcome.kind === "answered") turns.push(`[${member.name}, round ${round}]:\n${outcome.result.text}`);
    }
  }
  // nothing was said, so there is nothing to judge, and nothing is paid for it (B-014).
  if (turns.length === 0) return UNANSWERED;
  const prompt = `Motion: ${motion}\n\nTranscript:\n${turns.join("\n\n")}\n\nWrite the verdict.`;
  return resultFrom(await askChair(run, { role: "judge", brief: JUDGE_BRIEF, prompt }));
}

function turnPrompt(motion: string, turns: readonly string[]): string {
  return `Motion: ${motion}\n\nTranscript so far:\n${turns.join("\n\n")}\n\n${TURN_TASK}`;
}
