// What the memory keeps of workflows: the saved ones that a run may call, as they stood at its submit
// (D-008), and what the product had to warn of while it ran (D-012).

import type { JsonText } from "../contract/json.ts";

export interface WorkflowReaders {
  /** The SavedWorkflow[] that the run was submitted with, or undefined when there was none. */
  workflowsOf(runId: string): Promise<JsonText | undefined>;
  /** Texts of the run's warnings, oldest first, at most `limit`. */
  warningsOf(runId: string, limit: number): Promise<string[]>;
}
