// A saved workflow by its name, as HTTP and MCP ask for it (D-008).

import { workflowNamed } from "../config/workflows.ts";
import type { SavedWorkflow } from "../contract/api.ts";
import { type Fault, fault } from "../contract/fault.ts";
import { nearest } from "../contract/nearest.ts";
import type { Runtime } from "../runtime/api.ts";

/** @throws Fault `workflow_unknown` that says what is near, or why it cannot run */
export async function savedNamed(runtime: Runtime, name: string): Promise<SavedWorkflow> {
  const found = await runtime.savedWorkflows();
  const saved = workflowNamed(found, name);
  if (saved) return saved;
  throw unknown(
    name,
    found.map(({ listing }) => listing),
  );
}

function unknown(name: string, listed: { name: string; problem?: string | undefined }[]): Fault {
  const broken = listed.find((one) => one.name === name)?.problem;
  if (broken !== undefined) return fault("workflow_unknown", `This workflow cannot run: ${broken}.`);
  const near = nearest(
    name,
    listed.map((one) => one.name),
  );
  const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  return fault("workflow_unknown", `The gateway has no saved workflow of this name.${hint}`);
}
