// Saved workflows: what there is, and a run of one by its name (D-008).

import { workflowNamed } from "../../config/workflows.ts";
import { fault } from "../../contract/fault.ts";
import { nearest } from "../../contract/nearest.ts";
import { submitAnswerSchema, workflowsAnswerSchema } from "../answers.ts";
import { workflowRunBodySchema } from "../bodies.ts";
import { defineRoute, type RouteSpec } from "../route.ts";

const list = defineRoute({
  method: "GET",
  path: "/v1/workflows",
  summary: "List the saved workflows that the gateway reads, and those that cannot run with the reason.",
  answer: workflowsAnswerSchema,
  handle: async ({ gateway }) => ({
    json: { rows: (await gateway.runtime.savedWorkflows()).map(({ listing }) => listing) },
  }),
});

const run = defineRoute({
  method: "POST",
  path: "/v1/workflows/:id/runs",
  summary: "Run a saved workflow by its name. The same Idempotency-Key gives the first run again.",
  body: workflowRunBodySchema,
  answer: submitAnswerSchema,
  status: 201,
  async handle({ gateway, caller, id, body }) {
    const found = await gateway.runtime.savedWorkflows();
    const saved = workflowNamed(found, id);
    if (!saved) throw unknown(id, found);
    const { script, language, path: fileName } = saved;
    const answer = await gateway.runtime.submit(caller, { ...body, script, language, fileName });
    return { json: answer, status: answer.created ? 201 : 200, location: `/v1/runs/${answer.run.runId}` };
  },
});

function unknown(name: string, found: { listing: { name: string; problem?: string | undefined } }[]) {
  const broken = found.find(({ listing }) => listing.name === name)?.listing.problem;
  if (broken !== undefined) return fault("workflow_unknown", `This workflow cannot run: ${broken}.`);
  const near = nearest(
    name,
    found.map(({ listing }) => listing.name),
  );
  const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  return fault("workflow_unknown", `The gateway has no saved workflow of this name.${hint}`);
}

export const WORKFLOW_ROUTES: readonly RouteSpec[] = [list, run];
