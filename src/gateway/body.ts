// What a request carries, checked once at the door: content type, size, UTF-8, JSON, depth, schema.
// A message names the place and what was expected; it never repeats the value. Upholds L10.

import type { HonoRequest } from "hono";
import { z } from "zod";
import { fault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import { HTTP_BODY_BYTES_MAX } from "../contract/limits.ts";

/** Deepest nesting of a JSON body. */
export const JSON_DEPTH_MAX = 200;
/** Most problems that one answer names. */
export const ISSUES_COUNT_MAX = 5;
/** Longest text about one of them: names in it are the caller's and may be of any length. */
export const ISSUE_CHARS_MAX = 200;

const JSON_TYPE = /^application\/json *(?:; *charset *= *"?utf-8"? *)?$/i;

/**
 * The body as the schema makes it; an empty one counts as `{}`. The Idempotency-Key header fills in the field
 * of that name where the schema has it. Throws bad_content_type, body_too_large, bad_request, script_too_large.
 */
export async function readBody<Schema extends z.ZodType>(
  request: HonoRequest,
  schema: Schema,
): Promise<z.infer<Schema>> {
  if (!JSON_TYPE.test(request.header("content-type") ?? "")) {
    throw fault("bad_content_type", "The request's Content-Type is not application/json.");
  }
  const text = decode(await readBytes(request));
  const value = text.trim() === "" ? {} : parseJson(text);
  const key = takesKey(schema) ? request.header("idempotency-key") : undefined;
  return check(schema, key === undefined ? value : withKey(value, key), "body");
}

/** The query as the schema makes it; a name may occur once and must have a value. */
export function readQuery<Schema extends z.ZodType>(request: HonoRequest, schema: Schema): z.infer<Schema> {
  const query: { [key: string]: string } = Object.create(null);
  for (const [name, values] of Object.entries(request.queries())) {
    const value = values[0];
    if (values.length !== 1 || !value) {
      throw fault("bad_request", "Each query parameter may be given once, and with a value.");
    }
    query[name] = value;
  }
  return check(schema, query, "query");
}

async function readBytes(request: HonoRequest): Promise<Uint8Array> {
  const declared = Number(request.header("content-length") ?? Number.NaN);
  if (declared > HTTP_BODY_BYTES_MAX) throw tooLarge();
  // With a declared length the parser hands over exactly that many bytes; without one they are counted.
  if (!Number.isNaN(declared)) return new Uint8Array(await request.arrayBuffer());
  const body = request.raw.body;
  return body ? readCounted(body) : new Uint8Array();
}

async function readCounted(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    byteCount += value.byteLength;
    // Left unread and not cancelled: a cancel would cut the connection before the answer is out.
    if (byteCount > HTTP_BODY_BYTES_MAX) throw tooLarge();
    chunks.push(value);
  }
}

function tooLarge(): Error {
  return fault("body_too_large", `The request's body is larger than ${HTTP_BODY_BYTES_MAX} bytes.`, {
    details: { limitBytes: HTTP_BODY_BYTES_MAX },
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw fault("bad_request", "The request's body is not valid UTF-8.");
  }
}

function parseJson(text: string): unknown {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw fault("bad_request", "The request's body is not valid JSON.");
  }
  if (isDeeper(value, JSON_DEPTH_MAX)) {
    throw fault("bad_request", `The request's body is nested deeper than ${JSON_DEPTH_MAX} levels.`, {
      details: { limitDepth: JSON_DEPTH_MAX },
    });
  }
  return value;
}

/** Level by level, so that no depth of input can overflow the stack. */
function isDeeper(value: Json, limit: number): boolean {
  let level: Json[] = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    const next: Json[] = [];
    for (const item of level) {
      if (item === null || typeof item !== "object") continue;
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (child !== null && typeof child === "object") next.push(child);
      }
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}

function takesKey(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && "idempotencyKey" in schema.shape;
}

/** A body that names another key than the header contradicts itself. */
function withKey(value: unknown, key: string): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const body = value as { idempotencyKey?: unknown };
  if (body.idempotencyKey !== undefined && body.idempotencyKey !== key) {
    throw fault("bad_request", "The Idempotency-Key header and the body's idempotencyKey differ.");
  }
  return { ...body, idempotencyKey: key };
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, ISSUES_COUNT_MAX).map((issue) => ({
    path: [where, ...issue.path.map(String)].join(".").slice(0, ISSUE_CHARS_MAX),
    message: issue.message.slice(0, ISSUE_CHARS_MAX),
  }));
  const first = parsed.error.issues[0];
  const code = first?.code === "too_big" && first.path.join(".") === "script" ? "script_too_large" : "bad_request";
  throw fault(code, issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "), { details: { issues } });
}
