// All members at once on the same prompt; the chair merges what they answered.

import type { AgentResult } from "../config.ts";
import { AgencyQuorumError, namedError } from "../errors.ts";
import { askMember } from "../members.ts";
import type { Run } from "../run.ts";
import { askChair, resultFrom, type StrategyResult, UNANSWERED } from "../strategy.ts";

const BRIEF =
  "You merge the answers of several agents to one task into a single answer: keep what is right in each, " +
  "settle where they contradict one another, and leave nothing of value out.";

interface Answer {
  name: string;
  result: AgentResult;
}

export async function parallel(run: Run, prompt: string): Promise<StrategyResult> {
  const { members } = run.team;
  const settled = await Promise.allSettled(members.map((member) => askMember(run, member, prompt)));
  if (run.signal.aborted) throw run.signal.reason;
  const failures: unknown[] = [];
  const answers: Answer[] = [];
  for (const [index, one] of settled.entries()) {
    const name = members[index]?.name ?? "";
    if (one.status === "rejected") {
      failures.push(one.reason);
      seatFailed(run, name, one.reason);
    } else if (one.value.kind === "answered") answers.push({ name, result: one.value.result });
  }
  checkQuorum(run, answers, failures);
  // nobody to merge, and nothing is paid for it (B-014).
  if (answers.length === 0 && failures.length > 0) throw failures[0];
  if (answers.length === 0) return UNANSWERED;
  const labelled = answers.map(({ name, result }) => `[${name}]:\n${result.text}`).join("\n\n");
  const chairPrompt = `Original task: ${prompt}\n\nAnswers of the agents:\n${labelled}\n\nMerge them into one answer.`;
  return resultFrom(await askChair(run, { role: "synthesizer", brief: BRIEF, prompt: chairPrompt }));
}

function seatFailed(run: Run, agent: string, error: unknown): void {
  const named = namedError(error);
  run.host.log("warn", "parallel_seat_failed", { agency: run.team.name, agent, error: named });
  run.failed(agent, error);
  run.emit({ type: "error", agent, error: named });
}

function checkQuorum(run: Run, answers: readonly Answer[], failures: readonly unknown[]): void {
  const { quorum } = run.team;
  if (!quorum) return;
  const agents = answers.length;
  const providers = new Set(answers.flatMap(({ result }) => result.provider ?? [])).size;
  if (agents >= quorum.minAgents && providers >= quorum.minProviders) return;
  const { minAgents, minProviders } = quorum;
  const details = { agents, minAgents, providers, minProviders };
  if (quorum.onShortfall === "proceed") {
    run.host.log("warn", "parallel_quorum_shortfall", { agency: run.team.name, ...details });
    return;
  }
  throw new AgencyQuorumError(
    `${agents} of ${minAgents} members and ${providers} of ${minProviders} providers answered`,
    details,
    failures[0],
  );
}
