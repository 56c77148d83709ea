// The saved workflows that this gateway reads by itself (D-008), and what goes along with a submit: a run
// calls what was saved when it was submitted, so that neither a restart nor an edit changes it (D-005).

import { type FoundWorkflow, findWorkflows, foldersOf } from "../config/workflows.ts";
import type { SubmitRequest } from "../contract/api.ts";
import type { Settings } from "../contract/settings.ts";
import { mayCallWorkflows } from "../contract/workflow.ts";

/** Those of the configured folders, then the personal ones. Read anew each time: files come and go. */
export function savedWorkflows(settings: Settings): Promise<FoundWorkflow[]> {
  return findWorkflows(foldersOf(settings.dialect));
}

/** The request with the saved workflows that its script may call; those that came with it go first. */
export async function withSaved(settings: Settings, request: SubmitRequest): Promise<SubmitRequest> {
  if (!mayCallWorkflows(request.script)) return request;
  const given = request.workflows ?? [];
  const names = new Set(given.map(({ name }) => name));
  const own = (await savedWorkflows(settings)).flatMap(({ saved }) => (saved && !names.has(saved.name) ? [saved] : []));
  return { ...request, workflows: [...given, ...own] };
}
