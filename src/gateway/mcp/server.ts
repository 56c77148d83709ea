// The MCP server of one session: tools, resources and a prompt over the runtime, in the name of the session's
// caller. Every surface that speaks MCP makes its servers here.

import { McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PROMPT_CHARS_MAX } from "../../contract/limits.ts";
import { problemOfError } from "../problem.ts";
import { DECLARATIONS, declarationText, INSTRUCTIONS, scriptPrompt } from "./texts.ts";
import { addTool, type McpContext } from "./tool.ts";
import { CHILD_TOOLS } from "./tools/children.ts";
import { PEOPLE_TOOLS } from "./tools/people.ts";
import { RUN_TOOLS } from "./tools/runs.ts";
import { WORKFLOW_TOOLS } from "./tools/workflows.ts";

export function createMcpServer(context: McpContext): McpServer {
  const { version } = context.gateway.runtime.health();
  const server = new McpServer({ name: "quickswarm", version }, { instructions: INSTRUCTIONS });
  const isEnabled = context.swarm().enabled;
  for (const tool of [...CHILD_TOOLS, ...RUN_TOOLS, ...PEOPLE_TOOLS, ...WORKFLOW_TOOLS]) {
    if (isEnabled || !tool.needsSwarm) addTool(server, context, tool);
  }
  for (const name of DECLARATIONS) addDeclarations(server, name);
  addRuns(server, context);
  const argsSchema = z.object({ goal: z.string().min(1).max(PROMPT_CHARS_MAX).describe("What is to be achieved.") });
  server.registerPrompt(
    "write_swarm_script",
    { title: "Write a script", description: "How to write a script for a goal, run it and wait for it.", argsSchema },
    ({ goal }) => ({ messages: [{ role: "user", content: { type: "text", text: scriptPrompt(goal) } }] }),
  );
  return server;
}

const DECLARED = {
  "agents.d.ts": "What a script sees.",
  "people.d.ts": "What a script sees besides: how it waits for people and programs.",
  "workflow.d.ts": "What a script with a meta sees besides.",
};

function addDeclarations(server: McpServer, name: (typeof DECLARATIONS)[number]): void {
  const config = { title: name, description: DECLARED[name], mimeType: "text/x-typescript" };
  server.registerResource(name, `quickswarm://guest/${name}`, config, (uri) => ({
    contents: [{ uri: uri.href, mimeType: config.mimeType, text: declarationText(name) }],
  }));
}

function addRuns(server: McpServer, { gateway, caller }: McpContext): void {
  const config = { title: "A run", description: "All that is kept of a run, as JSON.", mimeType: "application/json" };
  const template = new ResourceTemplate("quickswarm://runs/{id}", {
    async list() {
      const { rows } = await gateway.runtime.runs(caller, {});
      return { resources: rows.map(({ runId, name }) => ({ uri: `quickswarm://runs/${runId}`, name })) };
    },
  });
  server.registerResource("run", template, config, async (uri, { id }) => {
    try {
      const detail = await gateway.runtime.runDetail(caller, String(id));
      return { contents: [{ uri: uri.href, mimeType: config.mimeType, text: JSON.stringify(detail) }] };
    } catch (error) {
      const { detail, next } = problemOfError(error);
      throw new ResourceNotFoundError(uri.href, `${detail} ${next}`);
    }
  });
}
