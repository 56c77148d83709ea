// What a tool gave back, as models and scripts get it: text, bounded, and the structured value when there is
// one. What is no text is named by its kind and size (L10).

import type { Json } from "../contract/json.ts";
import type { ToolAnswer } from "../contract/tools.ts";

/** The parts of an MCP result, as far as they are read. */
interface Part {
  type: string;
  text?: string | undefined;
  data?: string | undefined;
  mimeType?: string | undefined;
  uri?: string | undefined;
  resource?: { uri?: string | undefined; text?: string | undefined; mimeType?: string | undefined } | undefined;
}

export interface RawResult {
  text: string;
  value: Json | undefined;
  isError: boolean;
}

export function rawResult(result: { content?: unknown; structuredContent?: unknown; isError?: unknown }): RawResult {
  const parts = Array.isArray(result.content) ? (result.content as Part[]) : [];
  const value = result.structuredContent as Json | undefined;
  const text = parts.map(partText).join("\n");
  const isBare = text === "" && value !== undefined;
  return { text: isBare ? JSON.stringify(value) : text, value, isError: result.isError === true };
}

/** What a tool of the host returned: text stays text, any other value is structured as well. */
export function hostResult(value: Json | undefined): RawResult {
  if (typeof value === "string") return { text: value, value: undefined, isError: false };
  return { text: value === undefined ? "" : JSON.stringify(value), value, isError: false };
}

export function boundedAnswer(result: RawResult, name: string, bytesMax: number): ToolAnswer {
  const { text, value } = result;
  const bytes = Math.max(Buffer.byteLength(text), value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));
  if (bytes > bytesMax) {
    const message = `The result of ${name} has ${bytes} bytes; at most ${bytesMax} are taken. Ask for less.`;
    return { ok: false, code: "tool_result_too_large", message };
  }
  return value === undefined ? { ok: true, text } : { ok: true, text, value };
}

function partText(part: Part): string {
  if (part.type === "text") return part.text ?? "";
  if (part.type === "resource" && part.resource?.text !== undefined) return part.resource.text;
  if (part.type === "resource_link") return `[link ${part.uri ?? ""}]`;
  const kind = part.mimeType ?? part.resource?.mimeType ?? "";
  const bytes = part.data === undefined ? "" : `, ${Math.floor((part.data.length * 3) / 4)} bytes`;
  return `[${part.type} ${kind}${bytes}]`;
}
