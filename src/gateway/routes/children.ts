// Children and groups: spawn collectors, wait for them, list, stop (S-001, S-011 to S-014, S-018).

import { childrenQuerySchema, groupsQuerySchema, stopRequestSchema, waitRequestSchema } from "../../contract/api.ts";
import { waitAnswerSchema } from "../../contract/records.ts";
import {
  childrenAnswerSchema,
  groupAnswerSchema,
  groupsAnswerSchema,
  spawnAnswerSchema,
  stopAnswerSchema,
} from "../answers.ts";
import { spawnBodySchema } from "../bodies.ts";
import { defineRoute, type RouteSpec } from "../route.ts";
import { untilGone } from "../waiting.ts";

const spawn = defineRoute({
  method: "POST",
  path: "/v1/children",
  summary: "Spawn a collector child; answers at once. The same Idempotency-Key gives the first child again.",
  body: spawnBodySchema,
  answer: spawnAnswerSchema,
  status: 202,
  handle: async ({ gateway, caller, body }) => ({ json: await gateway.runtime.spawn(caller, body), status: 202 }),
});

const list = defineRoute({
  method: "GET",
  path: "/v1/children",
  summary: "List children, of a run, of a group, or by status.",
  query: childrenQuerySchema,
  answer: childrenAnswerSchema,
  async handle({ gateway, caller, query }) {
    const { limit, after, ...filter } = query;
    return { json: await gateway.runtime.children(caller, filter, { limit, after }) };
  },
});

const stop = defineRoute({
  method: "POST",
  path: "/v1/children/:id/stop",
  summary: "Stop one child with its descendants.",
  body: stopRequestSchema,
  answer: stopAnswerSchema,
  handle: async ({ gateway, caller, id, body }) => ({ json: await gateway.runtime.stop(caller, id, body.reason) }),
});

const wait = defineRoute({
  method: "POST",
  path: "/v1/wait",
  summary: "Wait until one of the children or runs is complete (agents_wait); the default time-out is 30 seconds.",
  body: waitRequestSchema,
  answer: waitAnswerSchema,
  async handle(call) {
    const { ids, timeoutSeconds } = call.body;
    const answer = await untilGone(call, {
      work: (signal) => call.gateway.runtime.wait(call.caller, ids, timeoutSeconds, signal),
      isAnswer: ({ completed, pending }) => completed.length > 0 || pending.length === 0,
    });
    return { json: answer };
  },
});

const groups = defineRoute({
  method: "GET",
  path: "/v1/groups",
  summary: "List groups with their counts.",
  query: groupsQuerySchema,
  answer: groupsAnswerSchema,
  handle: async ({ gateway, caller, query }) => ({ json: await gateway.runtime.groups(caller, query) }),
});

const group = defineRoute({
  method: "GET",
  path: "/v1/groups/:id",
  summary: "One group with its children. The id is URL-encoded.",
  answer: groupAnswerSchema,
  handle: async ({ gateway, caller, id }) => ({ json: await gateway.runtime.group(caller, id) }),
});

export const CHILD_ROUTES: readonly RouteSpec[] = [spawn, list, stop, wait, groups, group];
