// Puts the parts of one streamed answer together: what is said, what is called, what it cost, and the
// content as it has to be handed back to the provider with the next request.

import type { Json } from "../../contract/json.ts";
import type { AssistantPart, StreamPart } from "../sdk.ts";

export interface TokenUsage {
  /** All input tokens, cached ones included. */
  inputTokens: number;
  outputTokens: number;
  /** Of the input tokens: those that the provider read from its cache. */
  cachedInputTokens?: number;
  /** Of the input tokens: those that were written to the cache, when there were any. */
  cacheWriteTokens?: number;
}

export interface ToolCall {
  id: string;
  name: string;
  /** As the model wrote it: meant to be JSON. */
  inputText: string;
}

export type Finish = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

export interface Answer {
  text: string;
  calls: ToolCall[];
  content: AssistantPart[];
  finish: Finish;
  usage: TokenUsage | undefined;
}

interface OpenPart {
  type: "text" | "reasoning";
  text: string;
  providerOptions: AssistantPart["providerOptions"];
}

/** Takes the parts as they come; `answer` is there once the stream has said that it is whole. */
export class AnswerCollector {
  readonly #content: AssistantPart[] = [];
  readonly #open = new Map<string, OpenPart>();
  readonly #calls: ToolCall[] = [];
  #answer: Answer | undefined;

  /** Undefined while the stream has not come to its end. */
  get answer(): Answer | undefined {
    return this.#answer;
  }

  add(part: StreamPart): void {
    if (part.type === "text-start" || part.type === "reasoning-start") {
      const type = part.type === "text-start" ? "text" : "reasoning";
      this.#open.set(`${type} ${part.id}`, { type, text: "", providerOptions: part.providerMetadata });
    } else if (part.type === "text-delta" || part.type === "reasoning-delta") {
      this.#extend(part.type === "text-delta" ? "text" : "reasoning", part);
    } else if (part.type === "text-end" || part.type === "reasoning-end") {
      this.#close(part.type === "text-end" ? "text" : "reasoning", part);
    } else if (part.type === "tool-call" && !part.providerExecuted) {
      this.#call(part);
    } else if (part.type === "finish") {
      for (const key of [...this.#open.keys()]) this.#put(key);
      this.#finish(part);
    }
  }

  #extend(type: OpenPart["type"], part: { id: string; delta: string; providerMetadata?: OpenPart["providerOptions"] }) {
    const key = `${type} ${part.id}`;
    const open = this.#open.get(key) ?? { type, text: "", providerOptions: undefined };
    open.text += part.delta;
    open.providerOptions = part.providerMetadata ?? open.providerOptions;
    this.#open.set(key, open);
  }

  #close(type: OpenPart["type"], part: { id: string; providerMetadata?: OpenPart["providerOptions"] }) {
    const open = this.#open.get(`${type} ${part.id}`);
    if (open && part.providerMetadata) open.providerOptions = part.providerMetadata;
    this.#put(`${type} ${part.id}`);
  }

  #put(key: string): void {
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (!open || (open.text === "" && !open.providerOptions)) return;
    const { type, text, providerOptions } = open;
    this.#content.push({ type, text, ...(providerOptions ? { providerOptions } : {}) });
  }

  #call(part: Extract<StreamPart, { type: "tool-call" }>): void {
    this.#calls.push({ id: part.toolCallId, name: part.toolName, inputText: part.input });
    this.#content.push({
      type: "tool-call",
      toolCallId: part.toolCallId,
      toolName: part.toolName,
      input: objectOf(part.input),
      ...(part.providerMetadata ? { providerOptions: part.providerMetadata } : {}),
    });
  }

  #finish(part: Extract<StreamPart, { type: "finish" }>): void {
    const { unified, raw } = part.finishReason;
    // The packages close their streams in order even when the connection just ended: then nobody gave a reason.
    if (unified === "other" && raw === undefined) return;
    const text = this.#content.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("");
    this.#answer = { text, calls: this.#calls, content: this.#content, finish: unified, usage: usageOf(part.usage) };
  }
}

function usageOf(usage: Extract<StreamPart, { type: "finish" }>["usage"]): TokenUsage | undefined {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  const cached = inputTokens.cacheRead;
  const written = inputTokens.cacheWrite;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written ? { cacheWriteTokens: written } : {}),
  };
}

/** Providers take back only objects; what is none was no call that could be meant. */
function objectOf(text: string): { [key: string]: Json } {
  const value = parsedJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
