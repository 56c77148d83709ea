// What is sent: the instructions, the conversation that a child continues, its prompt, and what has been
// said since. Only roles that every provider knows.

import type { Route } from "../resolve/route.ts";
import type { Message, Prompt } from "../sdk.ts";
import { type ModelStep, messageOf } from "./step.ts";
import { STRUCTURED_INSTRUCTION, userMessage } from "./structured.ts";
import type { ModelWork } from "./work.ts";

export interface Turn {
  step: ModelStep;
  /** What the child was told after it. */
  reply: Message;
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
    ...turns.flatMap(({ step, reply }) => [messageOf(step, route), reply]),
  ];
}
