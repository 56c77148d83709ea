// An agent's own memory, kept by the host: asked for context before a call, and told of the turn after the reply
// . It fails no call.

import type { Place } from "./converse.ts";
import { namedError } from "./errors.ts";
import type { Run } from "./run.ts";

export interface MemoryProvider {
  /** Put before the conversation, after the instructions. */
  getContext?(text: string): Promise<{ contextText?: string | undefined } | null | undefined>;
  observe?(turn: { user: string; assistant: string }): Promise<void> | void;
}

/** What memory gave is a step of the run: the same call after a crash is asked with the same context. */
export async function contextFor(
  memory: MemoryProvider | undefined,
  run: Run,
  input: string,
  { path }: Place,
): Promise<string | undefined> {
  if (!memory?.getContext) return undefined;
  try {
    const key = { runId: run.id, path: `${path}:memory`, index: 0 };
    const text = await run.once(key, async () => (await memory.getContext?.(input))?.contextText ?? "");
    return typeof text === "string" && text !== "" ? text : undefined;
  } catch (error) {
    return failed(run, "getContext", error);
  }
}

export async function observed(
  memory: MemoryProvider | undefined,
  run: Run,
  turn: { user: string; assistant: string },
  { path }: Place,
): Promise<void> {
  if (!memory?.observe) return;
  try {
    const key = { runId: run.id, path: `${path}:memory`, index: 1 };
    await run.once(key, async () => {
      await memory.observe?.(turn);
      return null;
    });
  } catch (error) {
    failed(run, "observe", error);
  }
}

function failed(run: Run, what: string, error: unknown): undefined {
  run.host.log("warn", "agency_memory_failed", { agency: run.team.name, what, error: namedError(error) });
  return undefined;
}
