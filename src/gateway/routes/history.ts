// Kept turns of a run: the list, and one of them.

import { forkRequestSchema, turnQuerySchema } from "../../contract/api.ts";
import { pointDetailSchema, runHistorySchema } from "../../contract/history.ts";
import { submitAnswerSchema } from "../answers.ts";
import { defineRoute, type RouteSpec } from "../route.ts";

const history = defineRoute({
  method: "GET",
  path: "/v1/runs/:id/history",
  summary: "The kept turns of a run, oldest first: those that can be looked at and forked.",
  answer: runHistorySchema,
  handle: async ({ gateway, caller, id }) => ({ json: await gateway.runtime.history(caller, id) }),
});

const point = defineRoute({
  method: "GET",
  path: "/v1/runs/:id/point",
  summary:
    "A run as it was after a kept turn (without `turn`: the newest one): its pending calls, how they were answered later, its children.",
  query: turnQuerySchema,
  answer: pointDetailSchema,
  handle: async ({ gateway, caller, id, query }) => ({
    json: await gateway.runtime.pointDetail(caller, id, query.turn),
  }),
});

const fork = defineRoute({
  method: "POST",
  path: "/v1/runs/:id/fork",
  summary: "Make a new run that begins with a kept turn of this one, with other answers if wanted.",
  body: forkRequestSchema,
  answer: submitAnswerSchema,
  status: 201,
  async handle({ gateway, caller, id, body }) {
    const answer = await gateway.runtime.fork(caller, id, body);
    return { json: answer, status: answer.created ? 201 : 200, location: `/v1/runs/${answer.run.runId}` };
  },
});

export const HISTORY_ROUTES: readonly RouteSpec[] = [history, point, fork];
