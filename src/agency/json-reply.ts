// Reads JSON out of a reply: the whole of it, a fenced block, or the first { … } in it. JSON in which
// one object repeats a key does not parse, because only its last value would be left.

import type { OutputSchema } from "./config.ts";

export type Reading<Output> = { success: true; data: Output } | { success: false };

/** The first of the three that is JSON and fits the schema. Never throws. */
export function parseReply<Output>(text: string, schema: OutputSchema<Output>): Reading<Output> {
  for (const candidate of candidatesIn(text)) {
    const value = strictJson(candidate);
    if (value === undefined) continue;
    const parsed = schema.safeParse(value.json);
    if (parsed.success) return { success: true, data: parsed.data };
  }
  return { success: false };
}

/** The first of the three that is JSON at all. */
export function readJson(text: string): { json: unknown } | undefined {
  for (const candidate of candidatesIn(text)) {
    const value = strictJson(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

const FENCE = /```[\w-]*[ \t]*\r?\n([\s\S]*?)```/;

function candidatesIn(text: string): string[] {
  const fenced = FENCE.exec(text)?.[1];
  const object = firstObject(text);
  return [text.trim(), ...(fenced === undefined ? [] : [fenced.trim()]), ...(object === undefined ? [] : [object])];
}

/** From the first brace to the one that closes it, braces in strings aside. */
function firstObject(text: string): string | undefined {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return text.slice(start, at + 1);
    }
  }
  return undefined;
}

function strictJson(text: string): { json: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return repeatsKey(text) ? undefined : { json };
  } catch {
    return undefined;
  }
}

/** Whether an object of this valid JSON text names a key twice; escapes are read before keys are compared. */
function repeatsKey(text: string): boolean {
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g);
  const scopes: (Set<string> | undefined)[] = [];
  let lastString: string | undefined;
  for (const [token] of tokens) {
    if (token === "{") scopes.push(new Set());
    else if (token === "[") scopes.push(undefined);
    else if (token === "}" || token === "]") scopes.pop();
    else if (token === ":" && lastString !== undefined) {
      const key = JSON.parse(lastString) as string;
      const keys = scopes.at(-1);
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
    lastString = token.startsWith('"') ? token : undefined;
  }
  return false;
}
