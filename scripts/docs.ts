// Checks that what the documents show works: code in fences compiles, commands and their options exist,
// and the commands that run an example are run, offline, from the project's folder.
//
// An example says in its comments how it is run: `// Run: quickswarm run examples/NAME.ts --files "docs/*.md"`.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "@swc/wasm-typescript";
import { readWorkflow, withoutExport } from "../src/contract/workflow.ts";
import { type CommandLine, commandsOf, type Fence, fencesOf } from "./source/documents.ts";
import type { SourceFile } from "./source/tokens.ts";
import { ROOT, readTree } from "./source/tree.ts";

const RUN_MAX_MS = 120_000;
const CODE = new Set(["js", "ts", "javascript", "typescript"]);

const tree = readTree();
const documents = tree.filter((file) => file.path.endsWith(".md"));
const examples = tree.filter((file) => /^examples\/(?:workflows\/)?[^/]+\.(ts|js)$/.test(file.path));
const problems: string[] = [];

const fences = documents.flatMap(fencesOf).filter((fence) => CODE.has(fence.language));
const commands = [...documents, ...examples].flatMap(commandsOf);
for (const fence of fences) checkFence(fence);
for (const command of commands) checkCommand(command);
for (const example of examples) checkSaysHow(example);
const runs = new Map(commands.filter(runsExample).map((command) => [command.words.join(" "), command]));
for (const run of runs.values()) checkRun(run);

for (const problem of problems) console.error(problem);
console.log(`${fences.length} fences, ${commands.length} commands, ${runs.size} runs: ${problems.length} wrong`);
if (problems.length > 0) process.exitCode = 1;

function checkFence({ path, line, text: shown }: Fence): void {
  // A workflow is the body of a function, whatever its first statement looks like.
  const workflow = readWorkflow(shown, path);
  const text = workflow ? withoutExport(shown, workflow.exportAt) : shown;
  const isModule = /^\s*(import|export)\s/m.test(text);
  try {
    transformSync(isModule ? text : `async function script() {${text}\n}`, { mode: "strip-only", module: isModule });
  } catch (error) {
    problems.push(`${path}:${line} does not compile: ${said(error)}`);
  }
}

/** The command exists, and so do its options. */
function checkCommand({ path, line, words }: CommandLine): void {
  const [name = ""] = words;
  const options = words.filter((word) => word.startsWith("--")).map((word) => word.split("=")[0] ?? word);
  const help = name.startsWith("-") ? quickswarm(["--help"]) : quickswarm([name, "--help"]);
  if (help.status !== 0) problems.push(`${path}:${line} names the command ${name}, which does not exist`);
  const known = new Set(help.stdout.match(/--[\w-]+/g) ?? []);
  for (const option of options.filter((word) => !known.has(word))) {
    problems.push(`${path}:${line} names ${name} ${option}, which does not exist`);
  }
}

function checkSaysHow(example: SourceFile): void {
  const told = commandsOf(example).some((command) => command.words.includes(example.path));
  if (!told) problems.push(`${example.path}:1 does not say how it is run`);
}

function runsExample({ words }: CommandLine): boolean {
  return words[0] === "run" && !words.includes("--detach") && examples.some((file) => words.includes(file.path));
}

function checkRun({ path, line, words }: CommandLine): void {
  const dataDir = mkdtempSync(join(tmpdir(), "quickswarm-docs-"));
  try {
    const done = quickswarm(words, { QUICKSWARM_DATA_DIR: dataDir });
    if (done.status === 0) return;
    problems.push(`${path}:${line} quickswarm ${words.join(" ")} ends with ${done.status}: ${done.stderr.trim()}`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function quickswarm(
  words: readonly string[],
  env: { [name: string]: string } = {},
): { status: number | null; stdout: string; stderr: string } {
  const options = { cwd: ROOT, encoding: "utf8", timeout: RUN_MAX_MS, env: { ...process.env, ...env } } as const;
  return spawnSync(process.execPath, ["dist/cli/main.js", ...words], options);
}

function said(error: unknown): string {
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return String(error);
}
