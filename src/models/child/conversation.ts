// What is sent: the instructions, the conversation that a child continues, its prompt, and what has been
// said since. Only roles that every provider knows.

import type { Route } from "../resolve/route.ts";
import type { Message, Prompt } from "../sdk.ts";
import { messageOf, type Round } from "./step.ts";
import { nudgeText, STRUCTURED_INSTRUCTION, STRUCTURED_TOOL, userMessage, type Verdict } from "./structured.ts";
import type { ModelWork } from "./work.ts";

/** A step that was not the last, with what is said after it. */
export interface Turn {
  round: Round;
  /** When there is a schema. */
  verdict: Verdict | undefined;
}

export interface Opening {
  work: ModelWork;
  /** The configured instructions of the child's agent. */
  instructions: string | undefined;
}

/** The whole prompt for `route`. */
export function promptFor(route: Route, { work, instructions }: Opening, turns: readonly Turn[]): Prompt {
  const system = [instructions, work.session?.system, work.schema ? STRUCTURED_INSTRUCTION : undefined]
    .filter((part) => part !== undefined && part.trim() !== "")
    .join("\n\n");
  const history = (work.session?.history ?? []).map(({ role, text }): Message => {
    return role === "user" ? userMessage(text) : { role: "assistant", content: [{ type: "text", text }] };
  });
  return [
    ...(system === "" ? [] : [{ role: "system", content: system } satisfies Message]),
    ...history,
    userMessage(work.prompt),
    ...turns.flatMap((turn) => [messageOf(turn.round.step, route), replyTo(turn)]),
  ];
}

/** Every call needs its answer; a step without calls is told in words what is missing. */
function replyTo({ round, verdict }: Turn): Message {
  const { step, results } = round;
  const nudge = nudgeText(verdict) ?? "";
  if (step.calls.length === 0) return userMessage(nudge);
  const content = step.calls.map(({ id, name }, index) => {
    const result = results.get(index);
    const isText = result?.code === null;
    const told = name === STRUCTURED_TOOL ? nudge : `There is no such tool. ${nudge}`;
    const output = { type: isText ? ("text" as const) : ("error-text" as const), value: result?.text ?? told };
    return { type: "tool-result" as const, toolCallId: id, toolName: name, output };
  });
  return { role: "tool", content };
}
