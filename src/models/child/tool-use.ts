// The tools of one child: how they are named to a model, and how the calls of one answer are run: at once, each
// with a key of its own, each stored as soon as it has ended, and none that is stored run again (L12).

import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import PQueue from "p-queue";
import type { Json } from "../../contract/json.ts";
import type { OfferedTool, ToolAnswer, ToolCallRequest } from "../../contract/tools.ts";
import type { ModelTool } from "../sdk.ts";
import { parsedJson, type ToolCall } from "../send/collect.ts";
import { type Round, stepJson, type ToolStep } from "./step.ts";
import { STRUCTURED_TOOL } from "./structured.ts";
import type { ModelWork } from "./work.ts";

/** Calls of one child that are under way at once. */
export const CALLS_AT_ONCE_MAX = 8;
/** Calls of one answer that are run; the rest is answered with an error. */
export const CALLS_PER_STEP_MAX = 64;
/** What every provider takes as the name of a tool. */
const NAME_CHARS_MAX = 64;

/** Where tools come from. */
export interface ChildTools {
  /** @throws Fault `tool_unknown`, `tool_not_allowed`, `tool_unavailable` */
  offer(
    wish: { allowed: readonly string[] | undefined; asked: readonly string[] | undefined },
    signal: AbortSignal,
  ): Promise<OfferedTool[]>;
  /** Answers once, also when the tool fails; rejects only when the signal aborts. */
  call(request: ToolCallRequest): Promise<ToolAnswer>;
}

export class ToolUse {
  readonly definitions: ModelTool[];
  readonly #tools: Map<string, OfferedTool>;
  readonly #source: ChildTools;

  constructor(source: ChildTools, offered: readonly OfferedTool[]) {
    this.#source = source;
    this.#tools = new Map(offered.map((tool) => [modelName(tool), tool]));
    this.definitions = [...this.#tools].map(([name, { description, inputSchema }]) => ({
      type: "function",
      name,
      description,
      inputSchema: inputSchema as ModelTool["inputSchema"],
    }));
  }

  /** Runs what of the round's calls has no stored result. Rejects when the work is aborted or a step cannot be stored. */
  async run(round: Round, stepIndex: number, work: ModelWork): Promise<void> {
    const lane = new PQueue({ concurrency: CALLS_AT_ONCE_MAX });
    const trouble = new AbortController();
    const signal = AbortSignal.any([work.signal, trouble.signal]);
    // Each call that waits in the lane listens to it.
    setMaxListeners(0, signal);
    const one = async (call: ToolCall, index: number): Promise<void> => {
      const answer = await this.#answer(call, index, { stepIndex, round, work, signal });
      const code = answer.ok ? null : answer.code;
      const text = answer.ok ? answer.text : `Error ${answer.code}: ${answer.message}`;
      const result: ToolStep = { kind: "tool", version: 1, step: stepIndex, call: index, name: call.name, code, text };
      await work.recordStep(stepJson(result));
      round.results.set(index, result);
    };
    const open = [...round.step.calls.entries()].filter(
      ([index, { name }]) => name !== STRUCTURED_TOOL && !round.results.has(index),
    );
    const calls = open.map(([index, call]) =>
      lane
        .add(() => one(call, index), { signal })
        .catch((error: unknown) => {
          trouble.abort(error);
          throw error;
        }),
    );
    const failed = (await Promise.allSettled(calls)).find((end) => end.status === "rejected");
    if (failed) throw trouble.signal.reason;
  }

  async #answer(
    call: ToolCall,
    index: number,
    place: { stepIndex: number; round: Round; work: ModelWork; signal: AbortSignal },
  ): Promise<ToolAnswer> {
    const { stepIndex, round, work, signal } = place;
    const tool = this.#tools.get(call.name);
    if (!tool) {
      const names = [...this.#tools.keys()].slice(0, 50).join(", ");
      return { ok: false, code: "tool_unknown", message: `There is no tool ${call.name}; there are: ${names}.` };
    }
    const args = call.inputText.trim() === "" ? {} : parsedJson(call.inputText);
    if (!isObject(args)) {
      return { ok: false, code: "tool_arguments", message: `The arguments of ${call.name} are no JSON object.` };
    }
    if (index >= CALLS_PER_STEP_MAX) {
      const message = `Only ${CALLS_PER_STEP_MAX} calls of one answer are run; call ${call.name} again.`;
      return { ok: false, code: "tool_failed", message };
    }
    const idempotencyKey = `${work.childId}:${stepIndex}:${keyOf(round, index)}`;
    return this.#source.call({
      server: tool.server,
      name: tool.name,
      args,
      idempotencyKey,
      attempt: work.attempt,
      signal,
    });
  }
}

/** Some providers give two calls of one answer the same id. */
function keyOf({ step }: Round, index: number): string {
  const id = step.calls[index]?.id ?? "";
  const isFirst = step.calls.findIndex((call) => call.id === id) === index;
  return isFirst ? id : `${id}#${index}`;
}

/** "server__tool" in the characters that all providers take; a name that had to be changed ends with its hash. */
export function modelName({ server, name }: { server: string; name: string }): string {
  const full = `${server}__${name}`;
  const plain = full.replace(/[^A-Za-z0-9_-]/g, "_");
  if (plain === full && plain.length <= NAME_CHARS_MAX && plain !== STRUCTURED_TOOL) return plain;
  const hash = createHash("sha256").update(full).digest("hex").slice(0, 8);
  return `${plain.slice(0, NAME_CHARS_MAX - 9)}_${hash}`;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
