// The tail is held: 300 lines a file, 70 lines a function. Blank lines and comments count.
//
// In test/ a function that registers tests (a `describe` callback, a conformance suite) is a chapter
// and not a function: only the file's limit holds it. Each `test` callback and helper is held to 70.
// Guest code is code: functions inside a `guestText` or `String.raw` template are held as well.

import { functionsOf } from "../../../scripts/source/functions.ts";
import { codeOf, partnersOf, type SourceFile } from "../../../scripts/source/tokens.ts";
import { isSource, isUnder, type Violation } from "./violation.ts";

export const FILE_LINES_MAX = 300;
export const FUNCTION_LINES_MAX = 70;

const HELD = ["src/", "test/", "bench/", "scripts/", "examples/", "guest-types/"];

export function fileSizeViolations(files: readonly SourceFile[]): Violation[] {
  return held(files).flatMap(({ path, text }) => {
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    if (lines <= FILE_LINES_MAX) return [];
    return [{ path, line: FILE_LINES_MAX + 1, message: `has ${lines} lines; at most ${FILE_LINES_MAX}` }];
  });
}

export function functionSizeViolations(files: readonly SourceFile[]): Violation[] {
  return held(files).flatMap((file) => [file, ...guestProgramsOf(file)].flatMap(tooLong));
}

function tooLong(file: SourceFile): Violation[] {
  return functionsOf(file).flatMap(({ name, line, endLine, bodyStart, bodyEnd }) => {
    const lines = endLine - line + 1;
    if (lines <= FUNCTION_LINES_MAX) return [];
    if (isUnder(file, "test/") && registersTests(file, bodyStart, bodyEnd)) return [];
    return [{ path: file.path, line, message: `${name} has ${lines} lines; at most ${FUNCTION_LINES_MAX}` }];
  });
}

/** The programs in tagged templates, each as a file of its own whose lines are those of the host's file. */
function guestProgramsOf(file: SourceFile): SourceFile[] {
  const tokens = codeOf(file);
  const partners = partnersOf(tokens);
  return tokens.flatMap((token, index) => {
    const tag = tokens[index - 1]?.text;
    if (token.kind !== "template" || (tag !== "guestText" && tag !== "raw")) return [];
    let text = `${"\n".repeat(token.line - 1)}${token.text.slice(1)}`;
    for (let at = index; tokens[at]?.text.endsWith("${"); ) {
      at = partners[at] ?? at;
      text += `0${tokens[at]?.text.slice(1) ?? ""}`;
    }
    return [{ path: file.path, text: text.replaceAll("${", "") }];
  });
}

function held(files: readonly SourceFile[]): SourceFile[] {
  return files.filter((file) => isSource(file) && isUnder(file, ...HELD));
}

function registersTests(file: SourceFile, bodyStart: number, bodyEnd: number): boolean {
  const body = codeOf(file).slice(bodyStart, bodyEnd);
  return body.some((token, index) => {
    if (!["test", "it", "describe"].includes(token.text) || body[index - 1]?.text === ".") return false;
    return body[index + 1]?.text === "(" || body[index + 1]?.text === ".";
  });
}
