// Saved workflows as this machine has them: of the project that the person stands in, of the configured
// folders, and the personal ones (D-008). Their texts go along with a submit, since the gateway may stand
// elsewhere.

import { type FoundWorkflow, findWorkflows, foldersOf, projectFolders, workflowNamed } from "../config/workflows.ts";
import type { SavedWorkflow } from "../contract/api.ts";
import { SAVED_WORKFLOWS_BYTES_MAX } from "../contract/limits.ts";
import { nearest } from "../contract/nearest.ts";
import { mayCallWorkflows } from "../contract/workflow.ts";
import type { Context } from "./context.ts";

export async function foundWorkflows(context: Context): Promise<FoundWorkflow[]> {
  const { settings } = await context.load();
  return findWorkflows([...projectFolders(context.cwd), ...foldersOf(settings.dialect)]);
}

/** The saved workflow that `run NAME` means, or what to say when there is none. */
export async function savedByName(
  context: Context,
  name: string,
): Promise<{ saved: SavedWorkflow } | { saved: undefined; hint: string }> {
  const found = await foundWorkflows(context);
  const saved = workflowNamed(found, name);
  if (saved) return { saved };
  const broken = found.find(({ listing }) => listing.name === name)?.listing;
  if (broken?.problem !== undefined)
    return { saved, hint: `; the workflow ${broken.path} cannot run: ${broken.problem}` };
  const near = nearest(
    name,
    found.map(({ listing }) => listing.name),
  );
  return { saved, hint: near === undefined ? "" : `; did you mean the workflow ${JSON.stringify(near)}?` };
}

/** Those that a script may call. Too many to go along: only those that its text names. */
export async function callableFrom(context: Context, script: string): Promise<SavedWorkflow[]> {
  if (!mayCallWorkflows(script)) return [];
  const all = (await foundWorkflows(context)).flatMap(({ saved }) => saved ?? []);
  const bytes = all.reduce((sum, { script: text }) => sum + Buffer.byteLength(text), 0);
  // Texts grow when they become JSON; half of the limit is safe for all that people write.
  return bytes <= SAVED_WORKFLOWS_BYTES_MAX / 2 ? all : all.filter(({ name }) => script.includes(name));
}
