// Saved workflows: what there is, and a run of one by its name (D-008).

import { submitAnswerSchema, workflowsAnswerSchema } from "../answers.ts";
import { workflowRunBodySchema } from "../bodies.ts";
import { defineRoute, type RouteSpec } from "../route.ts";
import { savedNamed } from "../saved.ts";

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
    const { script, language, path: fileName } = await savedNamed(gateway.runtime, id);
    const answer = await gateway.runtime.submit(caller, { ...body, script, language, fileName });
    return { json: answer, status: answer.created ? 201 : 200, location: `/v1/runs/${answer.run.runId}` };
  },
});

export const WORKFLOW_ROUTES: readonly RouteSpec[] = [list, run];
