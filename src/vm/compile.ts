// From a script's text to what the controller evaluates (G-012): types are blanked out, the syntax is
// checked by the engine itself without running anything, and every position stays where it was. Runs
// in a worker thread, for the watchdog to end.

import { type Fault, fault } from "../contract/fault.ts";
import { MIB_BYTES } from "../contract/limits.ts";
import type { BaseImage } from "./base-image.ts";
import type { Engine } from "./engine.ts";
import { Instance } from "./instance.ts";
import { quietUser } from "./instance-user.ts";
import { writeLivePages } from "./layout.ts";
import type { SourceText } from "./port.ts";
import { indexOfByte, placeOf } from "./source-place.ts";
import { stripTypes } from "./strip-types.ts";
import { WASM_PAGE_BYTES } from "./wasm-types.ts";

/**
 * What stands before and after a script's text. It is one expression whose value is an async function
 * without parameters, so `await` and `return` work at the top. Line numbers of stacks are the script's
 * own; columns are too, except in line 1, where they are SCRIPT_PREFIX.length too high.
 */
export const SCRIPT_PREFIX = "(async () => {";
export const SCRIPT_SUFFIX = "\n})";

/** Another frame: a text that closes the first one and opens it again does not fit into this one too. */
const PROBE_PREFIX = "async function f(){";
const PROBE_SUFFIX = "\n}";
/** Memory for parsing one script. */
const PARSER_BYTES_MAX = 256 * MIB_BYTES;

/**
 * @returns SCRIPT_PREFIX, the script as JavaScript of the same length, SCRIPT_SUFFIX
 * @throws Fault `script_syntax` with line, column and caret
 */
export async function compileScript(engine: Engine, image: BaseImage, source: SourceText): Promise<string> {
  const text = source.text.startsWith("#!") ? `//${source.text.slice(2)}` : source.text;
  const body = source.language === "ts" ? stripTypes({ ...source, text }, SCRIPT_PREFIX, SCRIPT_SUFFIX) : text;
  const instance = await Instance.open(engine, image.pages, PARSER_BYTES_MAX / WASM_PAGE_BYTES);
  writeLivePages(instance.memory, image.live);
  instance.pointers = image.pointers;
  const code = SCRIPT_PREFIX + body + SCRIPT_SUFFIX;
  const failed = parse(instance, code);
  if (failed) throw syntaxFault(source, body, failed.at - SCRIPT_PREFIX.length, failed.message);
  const probed = parse(instance, PROBE_PREFIX + body + PROBE_SUFFIX);
  if (probed) {
    const at = probed.at - PROBE_PREFIX.length;
    throw syntaxFault(source, body, at, "the script closes a brace that it did not open");
  }
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
export function syntaxFault(source: SourceText, body: string, at: number, message: string): Fault {
  const index = refine(body, at, message);
  const place = placeOf(source.text, source.fileName, index);
  const text = explain(body, index, message);
  return fault("script_syntax", `${source.fileName}:${place.line}:${place.column}: ${text}`, { place });
}

/** The engine names a private field that no class declares only after it has read everything. */
function refine(body: string, at: number, message: string): number {
  const field = /^undefined private field '(#[^']+)'/.exec(message)?.[1];
  const found = field === undefined ? -1 : body.indexOf(field);
  return found >= 0 ? found : at;
}

const MODULES_MISSING = "a script is no module and loads none; what it needs is global (see API.list())";

function explain(body: string, at: number, message: string): string {
  if (/\bimport\s*$/.test(body.slice(0, at)) || message.includes("import.meta")) {
    return `import does not exist here: ${MODULES_MISSING}`;
  }
  if (message.includes("keyword: export")) return `export does not exist here: ${MODULES_MISSING}`;
  if (at >= body.length) return `the script ends too early (${message})`;
  return message;
}
