// Saved workflows over MCP: what there is to run by its name (D-008).

import { workflowsInputSchema, workflowsOutputSchema } from "../../../contract/mcp.ts";
import { defineTool, type ToolSpec } from "../tool.ts";

const list = defineTool({
  name: "workflows_list",
  title: "List saved workflows",
  description: [
    "Lists the saved workflows of this gateway and what they are for.",
    "Look here before you write a script; run one with swarm_run, its name as `workflow`. One with a `problem` cannot run.",
  ].join(" "),
  input: workflowsInputSchema,
  output: workflowsOutputSchema,
  readOnly: true,
  async handle({ gateway }) {
    return { workflows: (await gateway.runtime.savedWorkflows()).map(({ listing }) => listing) };
  },
});

export const WORKFLOW_TOOLS: readonly ToolSpec[] = [list];
