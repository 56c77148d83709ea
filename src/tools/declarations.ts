// Tools as TypeScript declarations, for scripts and their authors to read: generated from the JSON Schemas that
// servers give. What a schema says beyond types stands in comments; what cannot be said is `Json` (L10).

import type { Json } from "../contract/json.ts";
import type { OfferedTool } from "../contract/tools.ts";

/** Longest text of one server's declarations. */
export const DECLARATIONS_CHARS_MAX = 64 * 1024;
const DEPTH_MAX = 8;
const COMMENT_CHARS_MAX = 1_000;
const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

type Schema = { [key: string]: Json };

/** The text of `tools/<server>.d.ts`. */
export function declarationsOf(server: string, tools: readonly OfferedTool[]): string {
  const head = `// The tools of ${server}. A call that fails rejects with an Error named "ToolError" and a code.\ninterface Tools {\n`;
  const tail = "  };\n}\n";
  let text = `${head}  readonly ${propertyName(server)}: {\n`;
  for (const [index, tool] of tools.entries()) {
    const next = methodText(tool);
    if (text.length + next.length > DECLARATIONS_CHARS_MAX) {
      text += `    // and ${tools.length - index} more\n`;
      break;
    }
    text += next;
  }
  return text + tail;
}

function methodText({ name, description, inputSchema, outputSchema }: OfferedTool): string {
  const isOptional = !(Array.isArray(inputSchema.required) && inputSchema.required.length > 0);
  const result = outputSchema ? typeText(outputSchema, 1, "    ") : "string";
  const args = `args${isOptional ? "?" : ""}: ${typeText(inputSchema, 1, "    ")}`;
  return `${comment(description, "    ")}    ${propertyName(name)}(${args}): Promise<${result}>;\n`;
}

function typeText(schema: Json | undefined, depth: number, indent: string): string {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || depth > DEPTH_MAX) return "Json";
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum.map(literal).join(" | ");
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches) && branches.length > 0) return unionOf(branches, depth, indent);
  if (Array.isArray(schema.type))
    return unionOf(
      schema.type.map((type) => ({ ...schema, type })),
      depth,
      indent,
    );
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `Array<${typeText(schema.items, depth + 1, indent)}>`;
    case "object":
      return objectText(schema, depth, indent);
    default:
      return isRecord(schema.properties) ? objectText(schema, depth, indent) : "Json";
  }
}

function unionOf(schemas: Json[], depth: number, indent: string): string {
  return [...new Set(schemas.map((schema) => typeText(schema, depth + 1, indent)))].join(" | ");
}

function objectText(schema: Schema, depth: number, indent: string): string {
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (properties.length === 0) return "{ [name: string]: Json }";
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const description = isRecord(property) && typeof property.description === "string" ? property.description : "";
    const mark = required.includes(name) ? "" : "?";
    return `${comment(description, inner)}${inner}${propertyName(name)}${mark}: ${typeText(property, depth + 1, inner)};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function isRecord(value: Json | undefined): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function literal(value: Json): string {
  return typeof value === "object" && value !== null ? "Json" : JSON.stringify(value);
}

function propertyName(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

/** A server's words cannot end the comment that they stand in. */
function comment(text: string, indent: string): string {
  const plain = text.replace(/\s+/g, " ").replaceAll("*/", "* /").trim().slice(0, COMMENT_CHARS_MAX);
  return plain === "" ? "" : `${indent}/** ${plain} */\n`;
}
