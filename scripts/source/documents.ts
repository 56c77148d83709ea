// What the documents and examples show: fenced code, and command lines of quickswarm.

import type { SourceFile } from "./tokens.ts";

export interface Fence {
  path: string;
  /** Line of the first line of code, 1-based. */
  line: number;
  language: string;
  text: string;
}

export interface CommandLine {
  path: string;
  line: number;
  /** Words after `quickswarm`. */
  words: string[];
}

const PROGRAM = /^(?:\$ )?(?:quickswarm|npx quickswarm|node dist\/cli\/main\.js)\s+(.*)$/;
const SHELL = new Set(["sh", "bash", "shell", "console"]);

export function fencesOf(file: SourceFile): Fence[] {
  const found: Fence[] = [];
  let open: { line: number; language: string; lines: string[] } | undefined;
  file.text.split("\n").forEach((content, index) => {
    const fence = /^\s*```(\S*)/.exec(content);
    if (!fence) open?.lines.push(content);
    else if (open) {
      found.push({ path: file.path, line: open.line, language: open.language, text: open.lines.join("\n") });
      open = undefined;
    } else open = { line: index + 2, language: fence[1] ?? "", lines: [] };
  });
  return found;
}

/** Commands in shell fences of a document, and in the comments of an example. */
export function commandsOf(file: SourceFile): CommandLine[] {
  if (file.path.endsWith(".md")) {
    const shell = fencesOf(file).filter((fence) => SHELL.has(fence.language));
    return shell.flatMap((fence) => linesOf(file.path, fence.line, fence.text.split("\n")));
  }
  const comments = file.text.split("\n").map((content) => /^\/\/\s*(?:Run:\s*)?(.*)$/.exec(content)?.[1] ?? "");
  return linesOf(file.path, 1, comments);
}

function linesOf(path: string, firstLine: number, contents: readonly string[]): CommandLine[] {
  return contents.flatMap((content, index) =>
    content.split("&&").flatMap((part) => {
      const rest = PROGRAM.exec(part.trim())?.[1];
      return rest === undefined ? [] : [{ path, line: firstLine + index, words: shellWords(rest) }];
    }),
  );
}

/** The words of a simple command line: quotes are taken off, and a comment, pipe or redirection ends it. */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)) {
    const bare = match[3];
    if (bare !== undefined && /^(#|\||>|<|;|&|2>)/.test(bare)) break;
    words.push(match[1] ?? match[2] ?? bare ?? "");
  }
  return words;
}
