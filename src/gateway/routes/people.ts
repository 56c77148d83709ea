// What a run waits for from people and programs: approvals, and events that are sent to it (G-009, B-002).

import { approvalRecordSchema, approvalsQuerySchema, eventAnswerSchema } from "../../contract/approvals.ts";
import { approvalsAnswerSchema } from "../answers.ts";
import { approvalBodySchema, eventBodySchema } from "../bodies.ts";
import { defineRoute, type RouteSpec } from "../route.ts";

const list = defineRoute({
  method: "GET",
  path: "/v1/approvals",
  summary: "List approvals: those that wait first, the oldest of them first; then the others, the latest asked first.",
  query: approvalsQuerySchema,
  answer: approvalsAnswerSchema,
  async handle({ gateway, caller, query }) {
    const { limit, after, ...filter } = query;
    return { json: await gateway.runtime.approvals(caller, filter, { limit, after }) };
  },
});

const one = defineRoute({
  method: "GET",
  path: "/v1/approvals/:id",
  summary: "One approval.",
  answer: approvalRecordSchema,
  handle: async ({ gateway, caller, id }) => ({ json: await gateway.runtime.approval(caller, id) }),
});

const decide = defineRoute({
  method: "POST",
  path: "/v1/approvals/:id",
  summary: "Approve or reject, once. The same decision again by the same caller gives the same record.",
  body: approvalBodySchema,
  answer: approvalRecordSchema,
  handle: async ({ gateway, caller, id, body }) => ({ json: await gateway.runtime.decide(caller, id, body) }),
});

const sendEvent = defineRoute({
  method: "POST",
  path: "/v1/runs/:id/events/:name",
  summary: "Send an event to a run: any JSON. A script that waits for it gets it; else it is kept until one does.",
  body: eventBodySchema,
  answer: eventAnswerSchema,
  status: 202,
  async handle({ gateway, caller, id, name, body }) {
    return { json: await gateway.runtime.sendEvent(caller, id, name, body), status: 202 };
  },
});

export const PEOPLE_ROUTES: readonly RouteSpec[] = [list, one, decide, sendEvent];
