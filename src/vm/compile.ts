// From a script's text to what the controller evaluates (G-012): types are blanked out, the syntax is
// checked by the engine itself without running anything, and every position stays where it was. Runs
// in a worker thread, for the watchdog to end.

import { type Fault, fault } from "../contract/fault.ts";
import { MIB_BYTES } from "../contract/limits.ts";
import { indexOfByte, noModules, placeOf } from "../contract/source-place.ts";
import { isMetaExport, META_FIRST, readWorkflow, withoutExport } from "../contract/workflow.ts";
import type { BaseImage } from "./base-image.ts";
import type { Instance } from "./instance.ts";
import { quietUser } from "./instance-user.ts";
import { writeLivePages } from "./layout.ts";
import type { SourceText } from "./port.ts";
import type { InstanceShelf } from "./shelf.ts";
import { stripTypes } from "./strip-types.ts";
import { WASM_PAGE_BYTES } from "./wasm-types.ts";

/**
 * What stands before and after a script's text. It is one expression whose value is an async function
 * without parameters, so `await` and `return` work at the top. Evaluated by the guest's own `eval`, its
 * frames stand in stacks as `<input>:line:column`. Lines are the script's own, and columns too, except
 * in line 1, where they are FIRST_LINE_COLUMN_SHIFT too high.
 */
export const SCRIPT_PREFIX = "(async () => {";
export const SCRIPT_SUFFIX = "\n})";
/** The engine counts the columns of a first line from 0, those of the others from 1. */
export const FIRST_LINE_COLUMN_SHIFT = SCRIPT_PREFIX.length - 1;

/**
 * The same around a workflow that another one calls, of the same length: `args` is its own, and the
 * `workflow` that it sees refuses, because one level is all there is (D-005).
 */
const NESTED_PREFIX = "async args=>{{";
const NESTED_SUFFIX = `
}async function workflow(){throw new Error("workflow: a workflow that was called by another one cannot call a third")}}`;

/** Another frame: a text that closes the first one and opens it again does not fit into this one too. */
const PROBE_PREFIX = "async function f(){";
const PROBE_SUFFIX = "\n}";
const TOO_MANY_BRACES = "the script closes a brace that it did not open";
/** Memory for parsing one script. */
const PARSER_BYTES_MAX = 256 * MIB_BYTES;

/**
 * @returns SCRIPT_PREFIX, the script as JavaScript of the same length, SCRIPT_SUFFIX; of a nested workflow, the same in its own frame
 * @throws Fault `script_syntax` with line, column and caret
 */
export async function compileScript(shelf: InstanceShelf, image: BaseImage, source: SourceText): Promise<string> {
  const text = source.text.startsWith("#!") ? `//${source.text.slice(2)}` : source.text;
  const workflow = readWorkflow(text, source.fileName);
  const plain = workflow ? withoutExport(text, workflow.exportAt) : text;
  const body = source.language === "ts" ? stripTypes({ ...source, text: plain }, SCRIPT_PREFIX, SCRIPT_SUFFIX) : plain;
  const instance = await shelf.take(image.pages, PARSER_BYTES_MAX / WASM_PAGE_BYTES);
  writeLivePages(instance.memory, image.live);
  instance.pointers = image.pointers;
  try {
    const code = checked(instance, source, body);
    return source.isNested ? nested(instance, source, body) : code;
  } finally {
    shelf.put(instance);
  }
}

function checked(instance: Instance, source: SourceText, body: string): string {
  const code = SCRIPT_PREFIX + body + SCRIPT_SUFFIX;
  const failed = parse(instance, code);
  if (failed) {
    const at = failed.at - SCRIPT_PREFIX.length;
    const closesAll = at >= body.length && parse(instance, PROBE_PREFIX + body) === null;
    if (closesAll) throw syntaxFault(source, body, body.lastIndexOf("}"), TOO_MANY_BRACES);
    throw syntaxFault(source, body, at, failed.message);
  }
  const probed = parse(instance, PROBE_PREFIX + body + PROBE_SUFFIX);
  if (probed) {
    const at = probed.at - PROBE_PREFIX.length;
    throw syntaxFault(source, body, at, TOO_MANY_BRACES);
  }
  return code;
}

function nested(instance: Instance, source: SourceText, body: string): string {
  const code = NESTED_PREFIX + body + NESTED_SUFFIX;
  const failed = parse(instance, code);
  if (failed) throw syntaxFault(source, body, failed.at - NESTED_PREFIX.length, failed.message);
  return code;
}

interface ParseFailure {
  message: string;
  /** UTF-16 index in the code. */
  at: number;
}

function parse(instance: Instance, code: string): ParseFailure | null {
  const thrown = instance.evaluate(quietUser(0), code, "parse");
  if (!thrown) return null;
  const { message } = JSON.parse(instance.dumpUnguarded(thrown)) as { message?: unknown };
  instance.release(thrown);
  return { message: String(message), at: indexOfByte(code, thrown.tokenAt) };
}

/** @param at UTF-16 index in the script's text; beyond its end when the text ended too early */
function syntaxFault(source: SourceText, body: string, at: number, message: string): Fault {
  const index = refine(body, at, message);
  const place = placeOf(source.text, source.fileName, index);
  const isImport = /\bimport\s*$/.test(body.slice(0, index)) || message.includes("import.meta");
  let text = message;
  if (isImport) text = noModules("import");
  else if (message.includes("keyword: export"))
    text = isMetaExport(source.text, index) ? META_FIRST : noModules("export");
  else if (index >= body.length) text = `the script ends too early (${message})`;
  return fault("script_syntax", `${source.fileName}:${place.line}:${place.column}: ${text}`, { place });
}

/** The engine names a private field that no class declares only after it has read everything. */
function refine(body: string, at: number, message: string): number {
  const field = /^undefined private field '(#[^']+)'/.exec(message)?.[1];
  const found = field === undefined ? -1 : body.indexOf(field);
  return found >= 0 ? found : at;
}
