// TypeScript to JavaScript by blanking out the types: what is left stands at its old line and column.
// Loaded only when a script is TypeScript; the syntax that would need code of its own (enum, namespace,
// parameter properties) is refused.

import { createRequire } from "node:module";
import { type Fault, fault } from "../contract/fault.ts";
import { indexOf, noModules, placeOf } from "../contract/source-place.ts";
import { isMetaExport, META_FIRST } from "../contract/workflow.ts";
import type { SourceText } from "./port.ts";

type Strip = typeof import("@swc/wasm-typescript").transformSync;

const PACKAGE = "@swc/wasm-typescript";
let strip: Strip | undefined;

/**
 * The script's text with its types blanked out, of the same length.
 * @throws Fault `script_syntax` with line, column and caret
 */
export function stripTypes(source: SourceText, prefix: string, suffix: string): string {
  strip ??= (createRequire(import.meta.url)(PACKAGE) as { transformSync: Strip }).transformSync;
  try {
    const { code } = strip(prefix + source.text + suffix, { mode: "strip-only" });
    return code.slice(prefix.length, code.length - suffix.length);
  } catch (error) {
    if (isStripError(error)) throw stripFault(strip, error, source, prefix, suffix);
    forget();
    const message = error instanceof Error ? error.message : String(error);
    const text = `the types could not be removed, most likely because it is nested too deeply (${message})`;
    throw fault("script_syntax", `${source.fileName}: ${text}.`);
  }
}

/** After a trap or an overflow its instance fails for every text: the next script gets a new one. */
function forget(): void {
  strip = undefined;
  const { cache, resolve } = createRequire(import.meta.url);
  delete cache[resolve(PACKAGE)];
}

interface StripError {
  message: string;
  /** From 1. */
  startLine: number;
  /** From 0, in columns of a terminal. */
  startColumn: number;
}

function stripFault(run: Strip, error: StripError, source: SourceText, prefix: string, suffix: string): Fault {
  const found = narrowError(run, prefix + source.text + suffix) ?? error;
  const column = found.startLine === 1 ? found.startColumn - prefix.length : found.startColumn;
  const index = indexOf(source.text, found.startLine - 1, column);
  const place = placeOf(source.text, source.fileName, index);
  const isModule = found.message.includes("outside of module code");
  const word = source.text.startsWith("export", index) ? "export" : "import";
  const isMeta = isModule && isMetaExport(source.text, index);
  const text = isMeta ? META_FIRST : isModule ? noModules(word) : found.message;
  return fault("script_syntax", `${source.fileName}:${place.line}:${place.column}: ${text}`, { place });
}

/**
 * The error's columns count wide characters twice. The same text with a letter for every character
 * beyond ASCII fails at the same place, and there columns are characters.
 */
function narrowError(run: Strip, code: string): StripError | undefined {
  const narrow = code.replace(/[\u0080-\uffff]/g, (char) => (/\s/.test(char) ? " " : "x"));
  if (narrow === code) return undefined;
  try {
    run(narrow, { mode: "strip-only" });
    return undefined;
  } catch (error) {
    return isStripError(error) ? error : undefined;
  }
}

function isStripError(error: unknown): error is StripError {
  const candidate = error as Partial<StripError> | null;
  return typeof candidate === "object" && typeof candidate?.startLine === "number";
}
