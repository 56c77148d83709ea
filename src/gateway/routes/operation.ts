// Operating the gateway: is it alive, how is it, a backup.

import { isAbsolute } from "node:path";
import { backupRequestSchema } from "../../contract/api.ts";
import { fault } from "../../contract/fault.ts";
import { aliveAnswerSchema, backupAnswerSchema, healthAnswerSchema } from "../answers.ts";
import { defineRoute, type RouteSpec } from "../route.ts";

const alive = defineRoute({
  method: "GET",
  path: "/healthz",
  summary: "Whether the gateway answers. Needs no token and says nothing else.",
  open: true,
  answer: aliveAnswerSchema,
  handle: async ({ gateway }) => ({ json: { status: "ok", service: "quickswarm", instance: gateway.instance } }),
});

const health = defineRoute({
  method: "GET",
  path: "/v1/health",
  summary: "Version, what was recovered at the start, lanes, VMs and storage.",
  answer: healthAnswerSchema,
  handle: async ({ gateway }) => ({ json: gateway.runtime.health() }),
});

const backup = defineRoute({
  method: "POST",
  path: "/v1/backup",
  summary: "Write a consistent copy of the registry to an absolute path on the gateway's disk, while work goes on.",
  body: backupRequestSchema,
  answer: backupAnswerSchema,
  async handle({ gateway, caller, body }) {
    if (!caller.operator)
      throw fault("forbidden", "Only the operator may write a backup.", { next: "Use the operator's token." });
    if (!isAbsolute(body.path)) throw fault("bad_request", "body.path: expected an absolute path.");
    return { json: await gateway.runtime.backup(body.path) };
  },
});

export const OPERATION_ROUTES: readonly RouteSpec[] = [alive, health, backup];
