// The workflow dialect as text: a script whose first statement is `export const meta = {…}`, a pure
// literal (D-001). Read without running it, so that saved workflows can be listed (D-008) and phases
// are known before they begin.

import { z } from "zod";
import { type Fault, fault } from "./fault.ts";
import type { Json } from "./json.ts";
import { LABEL_CHARS_MAX, PHASE_CHARS_MAX } from "./limits.ts";
import { nameAt, readLiteral, skipTrivia } from "./literal.ts";
import { placeOf } from "./source-place.ts";

/** What a workflow says about itself. */
export const workflowMetaSchema = z.object({
  name: z.string(),
  description: z.string(),
  whenToUse: z.string().optional(),
  /** In the order in which the script means to announce them. */
  phases: z.array(z.object({ title: z.string(), detail: z.string().optional() })),
});
export type WorkflowMeta = z.infer<typeof workflowMetaSchema>;

/** One saved workflow as it is listed (D-008). */
export const workflowListingSchema = z.object({
  /** Of its meta, or of its file when that cannot be read. */
  name: z.string(),
  /** Where it stands: below the project, or below its folder. */
  path: z.string(),
  from: z.enum(["project", "configured", "personal"]),
  description: z.string().optional(),
  whenToUse: z.string().optional(),
  phases: workflowMetaSchema.shape.phases.optional(),
  /** Why it cannot run; absent when it can. */
  problem: z.string().optional(),
});
export type WorkflowListing = z.infer<typeof workflowListingSchema>;

export interface WorkflowScript {
  meta: WorkflowMeta;
  /** UTF-16 index of `export`. */
  exportAt: number;
}

export const WORKFLOW_TEXT_CHARS_MAX = 4_000;
export const WORKFLOW_PHASES_MAX = 100;
/** What a script is told whose meta stands elsewhere. */
export const META_FIRST = "export const meta has to be the first statement of the script";
const EXPORT = "export";
/** What goes on with the value before it, even on the next line. */
const GOES_ON = /[.([`+\-*/%&|^<>=?,!]/;

/**
 * The workflow that `text` is, or undefined for a plain script.
 * @throws Fault `script_syntax` with line, column and caret when its meta is no pure literal or says too little
 */
export function readWorkflow(text: string, fileName: string): WorkflowScript | undefined {
  const exportAt = metaAt(text);
  if (exportAt === undefined) return undefined;
  const refuse = (at: number, what: string): never => {
    throw syntax(text, fileName, at, what);
  };
  const equals = skipTrivia(text, skipWords(text, exportAt));
  if (text.charAt(equals) !== "=" || text.charAt(equals + 1) === "=") refuse(equals, "expected = behind meta");
  const literal = { text, refuse: (at: number, what: string) => refuse(at, `meta must be a pure literal: ${what}`) };
  const { value, end, valueAt } = readLiteral(literal, equals + 1);
  const next = skipTrivia(text, end);
  const crossesLine = /[\n\r\u2028\u2029]/.test(text.slice(end, next));
  const ends = next >= text.length || text.charAt(next) === ";" || (crossesLine && !goesOn(text, next));
  if (!ends) literal.refuse(next, "an expression goes on here; end the literal with a semicolon");
  const at = (key: string): number => valueAt.get(key) ?? skipTrivia(text, equals + 1);
  return { meta: metaOf(value, (key, what) => refuse(at(key), what)), exportAt };
}

/** The text with `export` blanked out: the rest is the body of a function, every position as it was. */
export function withoutExport(text: string, exportAt: number): string {
  return text.slice(0, exportAt) + " ".repeat(EXPORT.length) + text.slice(exportAt + EXPORT.length);
}

/** Whether a script may call saved ones: a plain script does not, and a workflow says the word. */
export function mayCallWorkflows(text: string): boolean {
  return metaAt(text) !== undefined && /\bworkflow\b/.test(text);
}

/** Whether `export const meta` stands at `at`, which only the first statement may. */
export function isMetaExport(text: string, at: number): boolean {
  return skipWords(text, at) > at;
}

/** The index of `export const meta` as the first statement, behind comments and directives. */
function metaAt(text: string): number | undefined {
  let at = text.startsWith("#!") ? text.search(/[\n\r]|$/) : 0;
  for (;;) {
    at = skipTrivia(text, at);
    const directive = /^(?:"[^"\\\n\r]*"|'[^'\\\n\r]*')/.exec(text.slice(at, at + 200));
    if (!directive) break;
    at = skipTrivia(text, at + directive[0].length);
    if (text.charAt(at) === ";") at += 1;
  }
  return isMetaExport(text, at) ? at : undefined;
}

/** Behind `export const meta`, or `at` when something else stands there. */
function skipWords(text: string, at: number): number {
  let index = at;
  for (const word of [EXPORT, "const", "meta"]) {
    index = skipTrivia(text, index);
    if (nameAt(text, index) !== word) return at;
    index += word.length;
  }
  return index;
}

function goesOn(text: string, at: number): boolean {
  const word = nameAt(text, at);
  return GOES_ON.test(text.charAt(at)) || ["in", "instanceof", "as", "satisfies"].includes(word);
}

function syntax(text: string, fileName: string, at: number, what: string): Fault {
  const place = placeOf(text, fileName, at);
  return fault("script_syntax", `${fileName}:${place.line}:${place.column}: ${what}`, { place });
}

type Refuse = (key: string, what: string) => never;

function metaOf(value: Json, refuse: Refuse): WorkflowMeta {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("", "meta must be an object with name and description");
  }
  const meta: WorkflowMeta = {
    name: textOf(value, "name", LABEL_CHARS_MAX, refuse),
    description: textOf(value, "description", WORKFLOW_TEXT_CHARS_MAX, refuse),
    phases: phasesOf(value.phases, refuse),
  };
  if (value.whenToUse !== undefined && value.whenToUse !== null) {
    meta.whenToUse = textOf(value, "whenToUse", WORKFLOW_TEXT_CHARS_MAX, refuse);
  }
  return meta;
}

function textOf(value: { [key: string]: Json }, key: string, charsMax: number, refuse: Refuse): string {
  const text = value[key];
  if (text === undefined) return refuse("", `meta has no ${key}; it needs name and description`);
  if (typeof text !== "string" || text.trim() === "")
    return refuse(key, `meta.${key} must be a text that is not empty`);
  if (text.length > charsMax) return refuse(key, `meta.${key} must be at most ${charsMax} characters long`);
  return text;
}

/** `{ title, detail? }` or the title alone. */
function phasesOf(phases: Json | undefined, refuse: Refuse): WorkflowMeta["phases"] {
  if (phases === undefined || phases === null) return [];
  if (!Array.isArray(phases)) return refuse("phases", "meta.phases must be an array");
  if (phases.length > WORKFLOW_PHASES_MAX) {
    return refuse("phases", `meta.phases must have at most ${WORKFLOW_PHASES_MAX} entries`);
  }
  return phases.map((phase) => {
    const said = typeof phase === "object" && phase !== null && !Array.isArray(phase) ? phase : { title: phase };
    const { title, detail } = said as { title?: Json; detail?: Json };
    if (typeof title !== "string" || title === "" || title.length > PHASE_CHARS_MAX) {
      return refuse("phases", `each of meta.phases needs a title of 1 to ${PHASE_CHARS_MAX} characters`);
    }
    return typeof detail === "string" ? { title, detail: detail.slice(0, WORKFLOW_TEXT_CHARS_MAX) } : { title };
  });
}
