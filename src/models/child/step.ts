// The stored steps of a child: what a model answered, by whom, and what it cost; and how each tool call of it
// ended. All are stored before the next request is sent, and a later attempt goes on from them (L12). No key and no text of an error is in it.

import type { Json } from "../../contract/json.ts";
import type { Trouble } from "../ask/ask.ts";
import type { Route } from "../resolve/route.ts";
import type { AssistantPart, Message } from "../sdk.ts";
import type { Answer, Finish, TokenUsage, ToolCall } from "../send/collect.ts";

export interface ModelStep {
  kind: "model";
  /** The form of this record. */
  version: 1;
  /** Who answered, which after a failover is not who was asked. */
  provider: string;
  model: string;
  text: string;
  calls: ToolCall[];
  content: AssistantPart[];
  finish: Finish;
  usage: TokenUsage | null;
  /** US dollars; null when not known. */
  costUsd: number | null;
  /** What went wrong before, by name. */
  troubles: Trouble[];
  /** It was given less output than usual, for want of budget. */
  isShrunk?: boolean | undefined;
}

export interface StepFacts {
  route: Route;
  costUsd: number | undefined;
  troubles: Trouble[];
  isShrunk: boolean;
}

export function stepOf(answer: Answer, { route, costUsd, troubles, isShrunk }: StepFacts): ModelStep {
  const { text, calls, content, finish, usage } = answer;
  return {
    kind: "model",
    version: 1,
    provider: route.provider.id,
    model: route.model,
    text,
    calls,
    content,
    finish,
    usage: usage ?? null,
    costUsd: costUsd ?? null,
    troubles,
    ...(isShrunk ? { isShrunk } : {}),
  };
}

/** How one tool call of a model step ended. Stored as soon as it has; what is stored is never run again. */
export interface ToolStep {
  kind: "tool";
  version: 1;
  /** Which model step of the child called, and which of its calls this is; both from 0. */
  step: number;
  call: number;
  name: string;
  /** The failure's code; null when it came through. */
  code: string | null;
  /** What the model is told. */
  text: string;
}

/** A model step with what its tool calls came to, by their place among the calls. */
export interface Round {
  step: ModelStep;
  results: Map<number, ToolStep>;
}

/** The stored steps, up to the first that this version did not write: it begins anew from there. */
export function readRounds(stored: readonly Json[]): Round[] {
  const rounds: Round[] = [];
  for (const step of stored) {
    if (isStep(step, "model")) rounds.push({ step: step as unknown as ModelStep, results: new Map() });
    else if (isStep(step, "tool")) {
      const result = step as unknown as ToolStep;
      const round = rounds.at(-1);
      if (!round || result.step !== rounds.length - 1) break;
      round.results.set(result.call, result);
    } else break;
  }
  return rounds;
}

export function stepJson(step: ModelStep | ToolStep): Json {
  return JSON.parse(JSON.stringify(step)) as Json;
}

/** The step as a message to `route`. What only its own provider understands goes to no other. */
export function messageOf(step: ModelStep, route: Route): Message {
  const isOwn = step.provider === route.provider.id && step.model === route.model;
  const content = step.content.flatMap((part): AssistantPart[] => {
    if (isOwn) return [part];
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type !== "tool-call") return [];
    return [{ type: "tool-call", toolCallId: part.toolCallId, toolName: part.toolName, input: part.input }];
  });
  return { role: "assistant", content };
}

/** Of all steps together; undefined as soon as one is not known. */
export function totalsOf(steps: readonly ModelStep[]): { usage: TokenUsage | undefined; costUsd: number | undefined } {
  const known = steps.flatMap((step) => step.usage ?? []);
  const sum = (of: (usage: TokenUsage) => number): number => known.reduce((total, usage) => total + of(usage), 0);
  const cached = known.some((usage) => usage.cachedInputTokens !== undefined);
  const usage: TokenUsage = {
    inputTokens: sum((one) => one.inputTokens),
    outputTokens: sum((one) => one.outputTokens),
    ...(cached ? { cachedInputTokens: sum((one) => one.cachedInputTokens ?? 0) } : {}),
  };
  const isPriced = steps.length > 0 && steps.every((step) => step.costUsd !== null);
  return {
    usage: known.length > 0 ? usage : undefined,
    costUsd: isPriced ? steps.reduce((total, step) => total + (step.costUsd ?? 0), 0) : undefined,
  };
}

function isStep(step: Json, kind: "model" | "tool"): boolean {
  if (typeof step !== "object" || step === null || Array.isArray(step)) return false;
  return step.kind === kind && step.version === 1;
}
