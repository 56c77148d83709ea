// One call of one speaker: its prompt, the model's steps, and the tools between them. Tools of one step run
// together (B-010); the table is read anew before each step. The last step may call none.

import type { Json } from "../contract/json.ts";
import { untilAborted } from "./abort.ts";
import { errorOf } from "./callbacks.ts";
import type { AgentResult, OutputSchema, ToolCallRecord } from "./config.ts";
import { namedError } from "./errors.ts";
import { parseReply } from "./json-reply.ts";
import type { SeatAnswer, SeatMessage, SeatRole, SeatRoute, SeatSettings, SeatUsage, ToolRequest } from "./port.ts";
import type { Run } from "./run.ts";
import { type GatedCall, refusalOf } from "./tool-gate.ts";
import type { Tool, ToolPlace, ToolReader, ToolResult } from "./tools.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

export interface Speaker {
  name: string;
  role: SeatRole;
  route: SeatRoute;
  settings: SeatSettings;
  system: string | undefined;
  tools: ToolReader;
  maxSteps: number;
  responseSchema?: OutputSchema | undefined;
  /** What was said before, in the agent's own session. */
  history?: readonly SeatMessage[] | undefined;
}

/** Where a call takes place: its path, and the signal that ends it. */
export interface Place {
  path: string;
  signal: AbortSignal;
}

/** @throws what the host's `call` rejects with, or the signal's reason */
export async function converse(run: Run, speaker: Speaker, prompt: string, place: Place): Promise<AgentResult> {
  const messages: SeatMessage[] = [...(speaker.history ?? []), { role: "user", text: prompt }];
  const toolCalls: ToolCallRecord[] = [];
  let usage: SeatUsage = NO_USAGE;
  let durationMs = 0;
  for (let index = 0; ; index += 1) {
    const tools = speaker.tools();
    const isLast = index + 1 >= speaker.maxSteps;
    const answer = await run.step(
      {
        key: { runId: run.id, path: place.path, index },
        role: speaker.role,
        agent: speaker.name,
        route: speaker.route,
        settings: speaker.settings,
        system: speaker.system,
        messages: [...messages],
        tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
        toolChoice: isLast ? "none" : "auto",
        signal: place.signal,
      },
      speaker.role === "member" ? "member" : "chair",
    );
    if (answer.fallback) {
      const { from, reason } = answer.fallback;
      const to = `${answer.provider}:${answer.model}`;
      run.host.log("warn", "fallback_fired", { agency: run.team.name, agent: speaker.name, from, to, reason });
    }
    usage = addUsage(usage, answer.usage);
    durationMs += answer.durationMs;
    if (answer.toolCalls.length === 0 || isLast) return resultOf(answer, speaker, { usage, durationMs, toolCalls });
    const results = await Promise.all(
      answer.toolCalls.map((call, at) =>
        useTool(run, tools, {
          call,
          agent: speaker.name,
          path: `${place.path}:step${index}`,
          index: at,
          signal: place.signal,
        }),
      ),
    );
    messages.push({ role: "assistant", text: answer.text, toolCalls: answer.toolCalls, content: answer.content });
    messages.push({
      role: "tool",
      results: results.map(({ id, name, text, isError }) => ({ id, name, text, isError })),
    });
    toolCalls.push(...results.map(({ name, input, text, isError }) => ({ name, input, output: text, isError })));
  }
}

/** The speaker's route and settings with those of this one call over them. */
export function forThisCall(run: Run, seat: SeatRoute["seat"], agency: SeatRoute["agency"], own: SeatSettings) {
  const { model, provider, fallbackProviders, effort, maxTokens, temperature } = run.options;
  const call = { ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { provider }) };
  return {
    route: { seat, agency, call, fallbackProviders },
    settings: {
      effort: effort ?? own.effort,
      maxTokens: maxTokens ?? own.maxTokens,
      temperature: temperature ?? own.temperature,
    },
  };
}

function resultOf(
  { text, provider, model, fallback }: SeatAnswer,
  { responseSchema }: Speaker,
  sums: Pick<AgentResult, "usage" | "durationMs" | "toolCalls">,
): AgentResult {
  const parsed = responseSchema ? parseReply(text, responseSchema) : undefined;
  return {
    text,
    provider,
    model,
    ...sums,
    ...(fallback === undefined ? {} : { fallback }),
    ...(parsed?.success ? { parsed: parsed.data } : {}),
  };
}

async function useTool(run: Run, tools: readonly Tool[], gated: GatedCall) {
  const { call, path, index, signal } = gated;
  const tool = tools.find(({ name }) => name === call.name);
  const place = { key: { runId: run.id, path, index }, signal };
  const execute = (): Promise<ToolResult> => executeTool(run, tool, call, place);
  const refusal = tool ? await refusalOf(run, gated) : undefined;
  let result: ToolResult;
  if (refusal !== undefined) result = { text: refusal, isError: true };
  else if (tool?.isKept) {
    result = (await run.once(place.key, async () => (await execute()) as unknown as Json)) as unknown as ToolResult;
  } else result = await execute();
  return { id: call.id, name: call.name, input: call.input, ...result };
}

/** A tool that fails is told to the model by name and code; the error itself goes to the host (B-018). */
async function executeTool(run: Run, tool: Tool | undefined, call: ToolRequest, place: ToolPlace): Promise<ToolResult> {
  if (!tool) return { text: `There is no tool ${JSON.stringify(call.name)}.`, isError: true };
  try {
    return await untilAborted(place.signal, tool.execute(call.input, place));
  } catch (error) {
    if (place.signal.aborted) throw error;
    run.failed(call.name, errorOf(error));
    return { text: `The tool failed: ${namedError(error)}`, isError: true };
  }
}
