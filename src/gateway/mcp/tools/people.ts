// Approvals and events over MCP: what runs ask of people, the person's decision, and events for a run (B-002, G-009).

import type { Json } from "../../../contract/json.ts";
import {
  approvalsInputSchema,
  approvalsOutputSchema,
  decideInputSchema,
  decideOutputSchema,
  sendEventInputSchema,
  sendEventOutputSchema,
} from "../../../contract/mcp-people.ts";
import { defineTool, type ToolSpec } from "../tool.ts";

const approvals = defineTool({
  name: "swarm_approvals",
  title: "List approvals",
  description: [
    "Lists what runs ask of a person, the longest waiting first: title, details, and when it expires.",
    "A run that waits for an approval goes on by itself when it is decided, so tell the person what is asked.",
  ].join(" "),
  input: approvalsInputSchema,
  output: approvalsOutputSchema,
  readOnly: true,
  async handle({ gateway, caller, input }) {
    const { limit, after, ...query } = input;
    const { rows, next } = await gateway.runtime.approvals(caller, query, { limit, after });
    return { approvals: rows, next };
  },
});

const decide = defineTool({
  name: "swarm_decide",
  title: "Decide an approval",
  description: [
    "Tells a run what a person has decided about an approval: approve or reject, with a comment.",
    "The decision is the person's: show what is asked and ask first, and never decide in their place. It can be decided once.",
  ].join(" "),
  input: decideInputSchema,
  output: decideOutputSchema,
  readOnly: false,
  handle({ gateway, caller, input }) {
    const { approvalId, data, ...request } = input;
    return gateway.runtime.decide(caller, approvalId, { ...request, data: data as Json | undefined });
  },
});

const sendEvent = defineTool({
  name: "swarm_send_event",
  title: "Send an event to a run",
  description: [
    "Sends an event to a run by name: a script that waits for it with waitForEvent(name) resolves to `payload`.",
    "`delivered: false` means that nothing waited for it; it is kept until the script does.",
  ].join(" "),
  input: sendEventInputSchema,
  output: sendEventOutputSchema,
  readOnly: false,
  handle({ gateway, caller, input }) {
    const payload = (input.payload ?? null) as Json;
    return gateway.runtime.sendEvent(caller, input.runId, input.name, payload);
  },
});

export const PEOPLE_TOOLS: readonly ToolSpec[] = [approvals, decide, sendEvent];
