// Saved workflows: the script files of some folders, read as they stand (D-008). Nothing outside a folder
// is ever read, whatever its names and links say; what cannot run is listed with the reason.

import { open, readdir, realpath } from "node:fs/promises";
import { basename, extname, join, sep } from "node:path";
import type { SavedWorkflow } from "../contract/api.ts";
import { isFault } from "../contract/fault.ts";
import { SAVED_WORKFLOWS_MAX, SCRIPT_BYTES_MAX } from "../contract/limits.ts";
import type { DialectSettings } from "../contract/settings.ts";
import { readWorkflow, type WorkflowListing } from "../contract/workflow.ts";

export interface WorkflowFolder {
  /** Absolute. */
  path: string;
  /** As it is shown: never a path of the machine. */
  shown: string;
  from: WorkflowListing["from"];
}

/** The folders that a gateway reads: the configured ones, and the personal one, which is the last. */
export function foldersOf(dialect: DialectSettings | undefined): WorkflowFolder[] {
  const folders = dialect?.workflowFolders ?? [];
  return folders.map((path, index) =>
    index === folders.length - 1
      ? { path, shown: "~/.quickswarm/workflows", from: "personal" }
      : { path, shown: basename(path), from: "configured" },
  );
}

/** The folders of the project that a person stands in. */
export function projectFolders(cwd: string): WorkflowFolder[] {
  return PROJECT_FOLDERS.map((shown) => ({ path: join(cwd, shown), shown, from: "project" }));
}

/** One file of a folder: what is listed of it, and its text when it can run. */
export interface FoundWorkflow {
  listing: WorkflowListing;
  saved: SavedWorkflow | undefined;
}

const PROJECT_FOLDERS = [".quickswarm/workflows", ".claude/workflows"];
const LANGUAGES: { [extension: string]: "js" | "ts" } = { ".js": "js", ".mjs": "js", ".ts": "ts", ".mts": "ts" };

/** The workflows of all folders, those of the first before those of the next, each by file name. */
export async function findWorkflows(folders: readonly WorkflowFolder[]): Promise<FoundWorkflow[]> {
  const found: FoundWorkflow[] = [];
  const names = new Set<string>();
  const roots = new Set<string>();
  for (const folder of folders) {
    const root = await realpath(folder.path).catch(() => undefined);
    // A folder that is not there holds no workflow; one that was read holds no further ones.
    if (root === undefined || roots.has(root)) continue;
    roots.add(root);
    for (const one of await ofFolder(folder, root)) {
      if (found.length >= SAVED_WORKFLOWS_MAX) return found;
      const { name, problem } = one.listing;
      const isHidden = problem === undefined && names.has(name);
      if (isHidden) one.listing.problem = "a workflow of this name stands in a folder that goes before";
      if (problem === undefined) names.add(name);
      found.push(isHidden ? { ...one, saved: undefined } : one);
    }
  }
  return found;
}

/** The one with this name, or else with this file name. */
export function workflowNamed(found: readonly FoundWorkflow[], name: string): SavedWorkflow | undefined {
  const saved = found.flatMap((one) => one.saved ?? []);
  return saved.find((one) => one.name === name) ?? saved.find(({ path }) => stem(path) === name);
}

async function ofFolder(folder: WorkflowFolder, root: string): Promise<FoundWorkflow[]> {
  const entries = await readdir(root).catch(() => []);
  const files = entries.filter((name) => LANGUAGES[extname(name).toLowerCase()]);
  return Promise.all(
    files
      .sort()
      .slice(0, SAVED_WORKFLOWS_MAX)
      .map((name) => ofFile(folder, root, name)),
  );
}

async function ofFile(folder: WorkflowFolder, root: string, fileName: string): Promise<FoundWorkflow> {
  const path = `${folder.shown}/${fileName}`;
  const listing: WorkflowListing = { name: stem(fileName), path, from: folder.from };
  const text = await textOf(root, fileName);
  if ("problem" in text) return { listing: { ...listing, ...text }, saved: undefined };
  const { script } = text;
  try {
    const workflow = readWorkflow(script, path);
    const problem = "it does not begin with export const meta = {…}";
    if (!workflow) return { listing: { ...listing, problem }, saved: undefined };
    const language = LANGUAGES[extname(fileName).toLowerCase()] ?? "js";
    const { name } = workflow.meta;
    return { listing: { ...listing, ...workflow.meta }, saved: { name, path, language, script } };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { listing: { ...listing, problem: error.message }, saved: undefined };
  }
}

/** Opened before it is looked at, so that what is read is what was checked. */
async function textOf(root: string, fileName: string): Promise<{ script: string } | { problem: string }> {
  try {
    const real = await realpath(join(root, fileName));
    if (!real.startsWith(root + sep)) return { problem: "it is a link that leads out of its folder" };
    const file = await open(real, "r");
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return { problem: "it is no file" };
      if (stats.size > SCRIPT_BYTES_MAX) {
        return { problem: `it has ${stats.size} bytes; at most ${SCRIPT_BYTES_MAX} are read` };
      }
      const script = new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
      return script.trim() === "" ? { problem: "it is empty" } : { script };
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      problem:
        code?.startsWith("E") && code !== "ERR_ENCODING_INVALID_ENCODED_DATA"
          ? `it cannot be read (${code})`
          : "it is not UTF-8 text",
    };
  }
}

function stem(path: string): string {
  return basename(path).slice(0, -extname(path).length);
}
