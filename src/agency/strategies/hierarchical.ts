// A manager on the agency's own model sees every member as a tool, and decides whom to ask, in which order, and
// what to make of it.

import { spawnTool } from "../emergent.ts";
import { namedError } from "../errors.ts";
import { askMember } from "../members.ts";
import type { Run } from "../run.ts";
import { askChair, resultFrom, type StrategyResult } from "../strategy.ts";
import type { Member } from "../team.ts";
import type { Tool, ToolResult } from "../tools.ts";

/** Steps of the manager; at the last one it has to answer. */
export const MANAGER_STEPS_MAX = 30;
/** As a member's description stands in a tool. */
const DESCRIPTION_CHARS_MAX = 1_000;

export async function hierarchical(run: Run, prompt: string): Promise<StrategyResult> {
  // A copy: who joins stays until this run ends (A-131).
  const members = [...run.team.members];
  const spawn = run.team.emergent ? [spawnTool(run, members)] : [];
  const result = await askChair(run, {
    role: "manager",
    brief: briefFor(members),
    prompt,
    tools: () => [...members.map((member) => delegateTo(run, member)), ...spawn],
    maxSteps: MANAGER_STEPS_MAX,
  });
  return resultFrom(result);
}

function briefFor(members: readonly Member[]): string {
  const lines = members.map(({ name, description }) => `- ${name}: ${description}`);
  return (
    "You are the manager of a team. Delegate parts of the task to members with the delegate_to_ tools, in the " +
    `order you choose, and merge what they answer into one final answer.\n\nMembers:\n${lines.join("\n")}`
  );
}

function delegateTo(run: Run, member: Member): Tool {
  return {
    name: `delegate_to_${member.name}`,
    description: `Delegates a task to ${member.name}: ${member.description}`.slice(0, DESCRIPTION_CHARS_MAX),
    inputSchema: {
      type: "object",
      properties: { task: { type: "string", description: "All that the member has to know; it sees nothing else." } },
      required: ["task"],
      additionalProperties: false,
    },
    isKept: false,
    execute: (input) => delegate(run, member, input),
  };
}

async function delegate(run: Run, member: Member, input: unknown): Promise<ToolResult> {
  const { task } = (input ?? {}) as { task?: unknown };
  if (typeof task !== "string" || task.trim() === "") return refusal("expected { task: string }, with a task in it");
  try {
    const outcome = await askMember(run, member, task);
    if (outcome.kind === "answered") return { text: outcome.result.text, isError: false };
    if (outcome.why === "unanswered") return refusal(`${member.name} gave no answer`);
    return refusal(`${member.name} was not approved for this${outcome.reason ? `: ${outcome.reason}` : ""}`);
  } catch (error) {
    if (run.signal.aborted) throw error;
    run.failed(member.name, error);
    run.emit({ type: "error", agent: member.name, error: namedError(error) });
    return refusal(`${member.name} failed: ${namedError(error)}`);
  }
}

function refusal(text: string): ToolResult {
  return { text, isError: true };
}
