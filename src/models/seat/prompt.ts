// A seat's conversation as a provider reads it. What a provider gave beside its text goes back to the same
// model alone.

import type { Json } from "../../contract/json.ts";
import type { Route } from "../resolve/route.ts";
import type { AssistantPart, Message, ModelTool, Prompt } from "../sdk.ts";
import type { SeatQuestion, SeatTurn } from "./question.ts";

interface KeptContent {
  provider: string;
  model: string;
  parts: AssistantPart[];
}

export function seatPrompt(route: Route, { system, messages }: SeatQuestion): Prompt {
  const opening: Message[] = system === undefined || system.trim() === "" ? [] : [{ role: "system", content: system }];
  return [...opening, ...messages.map((message) => messageFor(route, message))];
}

export function seatTools(question: SeatQuestion): ModelTool[] {
  return question.tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    // Written by the host; the provider refuses what it cannot read.
    inputSchema: inputSchema as ModelTool["inputSchema"],
  }));
}

export function keptContent(route: Route, parts: AssistantPart[]): Json {
  const kept: KeptContent = { provider: route.provider.id, model: route.model, parts };
  return JSON.parse(JSON.stringify(kept)) as Json;
}

function messageFor(route: Route, message: SeatTurn): Message {
  if (message.role === "user") return { role: "user", content: [{ type: "text", text: message.text }] };
  if (message.role === "tool") {
    const content = message.results.map(({ id, name, text, isError }) => ({
      type: "tool-result" as const,
      toolCallId: id,
      toolName: name,
      output: { type: isError ? ("error-text" as const) : ("text" as const), value: text },
    }));
    return { role: "tool", content };
  }
  const kept = message.content as unknown as KeptContent | undefined;
  if (kept?.provider === route.provider.id && kept.model === route.model) {
    return { role: "assistant", content: kept.parts };
  }
  const calls = message.toolCalls.map(({ id, name, input }): AssistantPart => {
    return { type: "tool-call", toolCallId: id, toolName: name, input };
  });
  const text: AssistantPart[] = message.text === "" ? [] : [{ type: "text", text: message.text }];
  return { role: "assistant", content: [...text, ...calls] };
}
