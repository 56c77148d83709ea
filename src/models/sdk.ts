// The AI SDK's own types, as far as they are used here. Types only: the packages are imported lazily, each
// by the first request that needs it.

import type { LanguageModel } from "ai";

export type Model = Extract<LanguageModel, { specificationVersion: "v3" }>;
export type ModelRequest = Parameters<Model["doStream"]>[0];
export type Prompt = ModelRequest["prompt"];
export type Message = Prompt[number];
export type AssistantPart = Extract<Message, { role: "assistant" }>["content"][number];
export type ModelTool = Extract<NonNullable<ModelRequest["tools"]>[number], { type: "function" }>;
export type ProviderOptions = NonNullable<ModelRequest["providerOptions"]>;
type StreamResult = Awaited<ReturnType<Model["doStream"]>>;
export type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
