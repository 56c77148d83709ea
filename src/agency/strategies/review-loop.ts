// The first member writes, the second reviews, until it approves or the rounds are used up.

import { readJson } from "../json-reply.ts";
import { askMember } from "../members.ts";
import type { Run } from "../run.ts";
import { resultFrom, type StrategyResult, UNANSWERED } from "../strategy.ts";

const REVIEW_FORM = 'Answer with JSON alone: { "approved": boolean, "feedback": string }';

export async function reviewLoop(run: Run, prompt: string): Promise<StrategyResult> {
  const [producer, reviewer] = run.team.members;
  let draft = UNANSWERED;
  let feedback = "";
  for (let round = 1; producer && reviewer && round <= run.team.maxRounds; round += 1) {
    const input = draft.isAnswered ? revisePrompt(prompt, draft.text, feedback) : prompt;
    const produced = await askMember(run, producer, input);
    // the loop ends on the draft there is; no reviewer is ever sent an empty one.
    if (produced.kind === "skipped") break;
    draft = draftOf(produced.result);
    const reviewed = await askMember(run, reviewer, reviewPrompt(prompt, draft.text));
    if (reviewed.kind === "skipped") break;
    const review = reviewOf(reviewed.result.text);
    if (review.approved) break;
    feedback = review.feedback;
  }
  return draft;
}

/** two models made it, so none is named. */
function draftOf(result: Parameters<typeof resultFrom>[0]): StrategyResult {
  const { provider: _, model: __, ...draft } = resultFrom(result);
  return draft;
}

function revisePrompt(prompt: string, draft: string, feedback: string): string {
  return `Original task: ${prompt}\n\nYour draft:\n${draft}\n\nFeedback of the reviewer:\n${feedback}\n\nRevise the draft.`;
}

function reviewPrompt(prompt: string, draft: string): string {
  return `Original task: ${prompt}\n\nDraft:\n${draft}\n\nReview the draft. ${REVIEW_FORM}`;
}

/** A-079, B-013: JSON, whole, fenced or within a text; anything else is no approval, and its text is feedback. */
function reviewOf(text: string): { approved: boolean; feedback: string } {
  const { approved, feedback } = (readJson(text)?.json ?? {}) as { approved?: unknown; feedback?: unknown };
  return { approved: approved === true, feedback: typeof feedback === "string" ? feedback : text };
}
