// What a script is checked as: its text as the body of a function, and the declarations of what it sees: those
// of guest-types (workflow.d.ts for a workflow only), and what the engine has besides. JavaScript cannot say
// what it expects of a value, so there what is unknown is anything.

import { readFileSync } from "node:fs";
import { readWorkflow, withoutExport } from "../../contract/workflow.ts";
import type { Language } from "./findings.ts";

export interface Surroundings {
  /** The script with every position as it was. */
  body: string;
  declarations: string;
}

/** Of the engine, not of the surface that is promised; a script that uses it is not wrong. */
const ENGINE = `
declare const performance: { now(): number; readonly timeOrigin: number };
declare function queueMicrotask(callback: () => void): void;
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
}
`;

export function surroundingsOf(script: string, language: Language): Surroundings {
  const exportAt = exportOf(script);
  const own = ["agents.d.ts", "people.d.ts", "tools.d.ts"].map(declarationFile).join("") + ENGINE;
  const declarations = exportAt === undefined ? own : own + declarationFile("workflow.d.ts");
  return {
    body: exportAt === undefined ? script : withoutExport(script, exportAt),
    declarations: language === "ts" ? declarations : loose(declarations),
  };
}

/** Where a workflow's `export` stands. One whose meta is wrong is told of when it is submitted. */
function exportOf(script: string): number | undefined {
  try {
    return readWorkflow(script, "")?.exportAt;
  } catch {
    return undefined;
  }
}

function declarationFile(name: string): string {
  return readFileSync(new URL(`../../../guest-types/${name}`, import.meta.url), "utf8");
}

function loose(declarations: string): string {
  return declarations
    .replaceAll("Answer = unknown", "Answer = any")
    .replace("Payload = unknown", "Payload = any")
    .replace("declare const args: unknown", "declare const args: any")
    .replace(": unknown;\n\ntype ObjectOf", ": any;\n\ntype ObjectOf");
}
