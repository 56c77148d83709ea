// Checks a script against agents.d.ts with TypeScript. The only file that knows TypeScript: its interface
// is marked unstable, and the package is optional. The compiler sees the script, the declarations and its
// own library files, and no other file of the machine.

import type { Node } from "typescript/unstable/ast";
import type { API, Diagnostic, Project } from "typescript/unstable/async";
import { surroundingsOf } from "./declarations.ts";
import { type Finding, type Language, type Said, UNAWAITED, worthSaying } from "./findings.ts";

export interface CheckedText {
  script: string;
  language: Language;
}

/** One expression around the script: `await` and `return` stand at its top, as in the sandbox. */
const PREFIX = "export {};(async () => {";
const SUFFIX = "\n});\n";
const FOLDER = "/quickswarm";
const DECLARATIONS = `${FOLDER}/agents.d.ts`;
const LIBRARY_FILE = /[\\/]lib(\.[a-z0-9.]+)?\.d\.ts$/;

/** "No overload matches this call", "The last overload gave the following error". */
const VAGUE_CODES = new Set([2769, 2770]);
/** Callees whose promise is wanted; `cancel` may be left alone. */
const PROMISING = /^(sleep|approve|waitForEvent|agent|parallel|pipeline|workflow)$|\.(run|send|wait)$/;

const OPTIONS = {
  target: "ESNext",
  // What the sandbox's engine knows; it has no DOM and no Node.js.
  lib: ["ES2025", "ESNext.Error", "ESNext.TypedArrays"],
  module: "ESNext",
  moduleDetection: "force",
  types: [],
  strict: false,
  noImplicitAny: false,
  erasableSyntaxOnly: true,
  noEmit: true,
  allowJs: true,
  checkJs: true,
  skipLibCheck: true,
};

/**
 * What is wrong with a script, in the order of its text; undefined when TypeScript is not installed for
 * this machine. It cannot be ended from inside: `program.ts` gives it a process of its own.
 */
export async function findingsOf(text: CheckedText): Promise<Finding[] | undefined> {
  const typescript = await load();
  if (!typescript) return undefined;
  const api = new typescript.API({ cwd: FOLDER, fs: filesOf(text) });
  try {
    return await look(typescript, api, text);
  } catch {
    // The package is there and its program for this machine is not, or the program died.
    return undefined;
  } finally {
    await api.close();
  }
}

type TypeScript = NonNullable<Awaited<ReturnType<typeof load>>>;

async function load() {
  try {
    const [{ API, SymbolFlags }, { SyntaxKind }] = await Promise.all([
      import("typescript/unstable/async"),
      import("typescript/unstable/ast"),
    ]);
    return { API, SymbolFlags, SyntaxKind };
  } catch {
    return undefined;
  }
}

function filesOf({ script, language }: CheckedText) {
  const name = nameOf(language);
  const { body, declarations } = surroundingsOf(script, language);
  const files = new Map([
    [`${FOLDER}/tsconfig.json`, JSON.stringify({ compilerOptions: OPTIONS, files: [DECLARATIONS, name] })],
    [DECLARATIONS, declarations],
    [`${FOLDER}/${name}`, PREFIX + body + SUFFIX],
  ]);
  const names = [...files.keys()].map((path) => path.slice(FOLDER.length + 1));
  // Undefined sends the compiler to the disk: for its own library and for nothing else.
  const isLibrary = (path: string): boolean => LIBRARY_FILE.test(path);
  return {
    readFile: (path: string) => files.get(path) ?? (isLibrary(path) ? undefined : null),
    fileExists: (path: string) => files.has(path) || (isLibrary(path) ? undefined : false),
    directoryExists: (path: string) => path === FOLDER,
    getAccessibleEntries: (path: string) => ({ files: path === FOLDER ? names : [], directories: [] }),
    realpath: (path: string) => path,
  };
}

function nameOf(language: Language): string {
  return `script.${language}`;
}

/** A script that the compiler has read. */
interface Reading {
  typescript: TypeScript;
  project: Project;
  source: Node;
}

async function look(typescript: TypeScript, api: API, text: CheckedText): Promise<Finding[]> {
  const snapshot = await api.updateSnapshot({ openProjects: [`${FOLDER}/tsconfig.json`] });
  const [project] = snapshot.getProjects();
  const file = `${FOLDER}/${nameOf(text.language)}`;
  const source = await project?.program.getSourceFile(file);
  if (!project || !source) return [];
  const syntax = await project.program.getSyntacticDiagnostics(file);
  // What a text means that does not parse is guesswork.
  if (syntax.length > 0) return syntax.map((one) => findingAt(text, one.pos, `TS${one.code}`, one.text));
  const reading = { typescript, project, source };
  const found: Finding[] = [];
  for (const diagnostic of await project.program.getSemanticDiagnostics(file)) {
    const leaf = leafOf(diagnostic);
    const message = worthSaying(await said(reading, leaf), text.language);
    if (message !== undefined) found.push(findingAt(text, leaf.pos, `TS${leaf.code}`, message));
  }
  for (const at of await unawaitedCalls(reading)) found.push(findingAt(text, at, "unawaited", UNAWAITED));
  return found.sort((a, b) => a.offset - b.offset);
}

function findingAt(text: CheckedText, position: number, code: string, message: string): Finding {
  const offset = Math.min(Math.max(position - PREFIX.length, 0), text.script.length);
  return { offset, code, message };
}

/** "No overload matches this call" says that something is wrong; the end of its chain says what. */
function leafOf(diagnostic: Diagnostic): Diagnostic {
  const next = diagnostic.messageChain?.at(-1);
  return next && VAGUE_CODES.has(diagnostic.code) ? leafOf(next) : diagnostic;
}

async function said(reading: Reading, { code, text, pos }: Diagnostic): Promise<Said> {
  const typeName = /on type '(\w+)'\.$/.exec(text)?.[1];
  const members = typeName === undefined ? [] : await membersOf(reading, typeName);
  return { code, text, members, inGuestCall: await isInGuestCall(reading, pos) };
}

/** Names of the members of an interface of agents.d.ts. */
async function membersOf({ typescript, project }: Reading, typeName: string): Promise<string[]> {
  const found = await project.checker.resolveName(typeName, typescript.SymbolFlags.Interface);
  if (!found?.declarations.some((one) => one.path === DECLARATIONS)) return [];
  return [...(await found.getMembers()).values()].map((member) => member.name);
}

/** Whether the place is in a call of something that agents.d.ts declares. */
async function isInGuestCall({ typescript, project, source }: Reading, position: number): Promise<boolean> {
  const calls: Node[] = [];
  const visit = (node: Node): void => {
    if (position < node.pos || position >= node.end) return;
    if (node.kind === typescript.SyntaxKind.CallExpression) calls.push(node);
    node.forEachChild(visit);
  };
  visit(source);
  for (const call of calls) if (await isGuestCall(project, call)) return true;
  return false;
}

async function isGuestCall(project: Project, call: Node): Promise<boolean> {
  const signature = await project.checker.getResolvedSignature(call);
  return signature?.declaration?.path === DECLARATIONS;
}

/** Calls of the declarations that give a promise, as statements of their own. */
async function unawaitedCalls({ typescript, project, source }: Reading): Promise<number[]> {
  const { CallExpression, ExpressionStatement } = typescript.SyntaxKind;
  const candidates: Node[] = [];
  const visit = (node: Node): void => {
    if (node.kind === ExpressionStatement) {
      node.forEachChild((child) => {
        if (child.kind === CallExpression && PROMISING.test(calleeOf(child))) candidates.push(child);
      });
    }
    node.forEachChild(visit);
  };
  visit(source);
  const found: number[] = [];
  for (const call of candidates) if (await isGuestCall(project, call)) found.push(call.getStart());
  return found;
}

function calleeOf(call: Node): string {
  return call.forEachChild((child) => child.getText()) ?? "";
}
