// What every strategy is: a function of the run and the prompt. All it may do is ask members and the chair.

import type { AgentResult } from "./config.ts";
import { converse, forThisCall } from "./converse.ts";
import type { SeatRole } from "./port.ts";
import type { Run } from "./run.ts";
import type { ToolReader } from "./tools.ts";

export interface StrategyResult {
  text: string;
  /** False: no member answered, so the text is empty. */
  isAnswered: boolean;
  provider?: string | undefined;
  model?: string | undefined;
  parsed?: unknown;
}

export type Strategy = (run: Run, prompt: string) => Promise<StrategyResult>;

export const UNANSWERED: StrategyResult = Object.freeze({ text: "", isAnswered: false });

export interface ChairCall {
  role: Exclude<SeatRole, "member">;
  /** Before the agency's own instructions. */
  brief: string;
  prompt: string;
  tools?: ToolReader;
  maxSteps?: number;
  /** Replaces the agency's model. */
  model?: string | undefined;
}

/** A call on the agency's own model, with the agency's instructions. It leaves no record. */
export function askChair(run: Run, call: ChairCall): Promise<AgentResult> {
  const { team } = run;
  const seat = call.model === undefined ? team.route : { ...team.route, model: call.model };
  const system = [call.brief, team.instructions]
    .filter((part) => part !== undefined && part.trim() !== "")
    .join("\n\n");
  const speaker = {
    name: team.name,
    role: call.role,
    ...forThisCall(run, seat, {}, {}),
    system,
    tools: call.tools ?? (() => []),
    maxSteps: call.maxSteps ?? 1,
  };
  return converse(run, speaker, call.prompt, { path: run.place(`:${call.role}`), signal: run.signal });
}

/** The answer of one speaker as the run's own. */
export function resultFrom({ text, provider, model, parsed }: AgentResult): StrategyResult {
  return { text, isAnswered: true, provider, model, parsed };
}
