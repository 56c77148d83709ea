// A tool table as the host gives it, in any of its forms, and as a model step needs it. It is read anew before
// each step, so that what is added while a run goes on is seen; a table that can be read only
// once is.

import { z } from "zod";
import type { Json } from "../contract/json.ts";
import { AgencyConfigError } from "./errors.ts";
import type { SeatKey, ToolDescription } from "./port.ts";

export interface ToolDefinition {
  name?: string | undefined;
  description?: string | undefined;
  /** A Zod schema or JSON Schema of an object. `parameters` is another name for it. */
  inputSchema?: unknown;
  parameters?: unknown;
  execute(input: never): unknown;
}

export type ToolTable = { readonly [name: string]: ToolDefinition } | Iterable<ToolDefinition>;

export interface ToolPlace {
  key: SeatKey;
  signal: AbortSignal;
}

/** A tool that is ready to be called. */
export interface Tool extends ToolDescription {
  /** Whether its result is kept under its key; a delegate's own calls are kept instead. */
  isKept: boolean;
  execute(input: Json, place: ToolPlace): Promise<ToolResult>;
}

export interface ToolResult {
  text: string;
  isError: boolean;
}

export type ToolReader = () => Tool[];

const TOOL_NAME = /^[A-Za-z][\w-]{0,63}$/;
const NO_INPUT = { type: "object", properties: {} };

/** @throws AgencyConfigError for a table or a tool that is none, naming where */
export function readTools(table: ToolTable | undefined, where: string): ToolReader {
  if (table === undefined || table === null) return () => [];
  if (typeof table !== "object") throw new AgencyConfigError(`${where}: expected tools by name or a list of tools`);
  if (!isIterable(table)) {
    const read = () =>
      Object.entries(table).map(([name, tool]) => toolOf({ ...tool, name: tool?.name ?? name }, where));
    read();
    return read;
  }
  const isSingleUse = (table as Partial<Iterator<unknown>>).next !== undefined;
  const kept = isSingleUse ? [...table] : undefined;
  const read = () => [...(kept ?? table)].map((tool) => toolOf(tool, where));
  if (isSingleUse || Array.isArray(table)) read();
  return read;
}

/** Both tables by name; the second one's tool wins. */
export function mergedTools(shared: ToolReader, own: ToolReader): ToolReader {
  return () => [...new Map([...shared(), ...own()].map((tool) => [tool.name, tool])).values()];
}

function isIterable(table: ToolTable): table is Iterable<ToolDefinition> {
  return typeof (table as Partial<Iterable<unknown>>)[Symbol.iterator] === "function";
}

function toolOf(given: ToolDefinition, where: string): Tool {
  const { name, description = "", execute } = given ?? {};
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    const got = JSON.stringify(name) ?? "nothing";
    throw new AgencyConfigError(`${where}: a tool's name has letters, digits, _ and - alone; got ${got}`);
  }
  if (typeof execute !== "function") throw new AgencyConfigError(`${where}: the tool ${name} has no execute function`);
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(given.inputSchema ?? given.parameters ?? NO_INPUT),
    isKept: true,
    execute: async (input) => resultOf(await given.execute(input as never)),
  };
}

function jsonSchemaOf(schema: unknown): { [key: string]: Json } {
  const isZod = typeof (schema as { safeParse?: unknown }).safeParse === "function";
  return (isZod ? z.toJSONSchema(schema as z.ZodType) : schema) as { [key: string]: Json };
}

/** What a tool gave, as text. `{ success: false }` says that it failed. */
function resultOf(value: unknown): ToolResult {
  const { success, output, error } = (value ?? {}) as { success?: unknown; output?: unknown; error?: unknown };
  if (success === false) return { text: textOf(error ?? output ?? "The tool failed."), isError: true };
  return { text: textOf(success === true && output !== undefined ? output : value), isError: false };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
