// Runs: submit, look, wait for the end, stop, resume.

import { endedAnswerSchema, endedQuerySchema, runsQuerySchema, stopRequestSchema } from "../../contract/api.ts";
import { WAIT_TIMEOUT_SECONDS_DEFAULT } from "../../contract/limits.ts";
import { type RunRecord, runDetailSchema, runRecordSchema } from "../../contract/records.ts";
import { runsAnswerSchema, stopAnswerSchema, submitAnswerSchema } from "../answers.ts";
import { submitBodySchema } from "../bodies.ts";
import { defineRoute, type RouteSpec } from "../route.ts";
import { untilGone } from "../waiting.ts";

const submit = defineRoute({
  method: "POST",
  path: "/v1/runs",
  summary: "Submit a script. The same Idempotency-Key gives the first run again.",
  body: submitBodySchema,
  answer: submitAnswerSchema,
  status: 201,
  async handle({ gateway, caller, body }) {
    const answer = await gateway.runtime.submit(caller, body);
    return { json: answer, status: answer.created ? 201 : 200, location: `/v1/runs/${answer.run.runId}` };
  },
});

const list = defineRoute({
  method: "GET",
  path: "/v1/runs",
  summary: "List runs, a page at a time.",
  query: runsQuerySchema,
  answer: runsAnswerSchema,
  async handle({ gateway, caller, query }) {
    const { state, ...page } = query;
    return { json: await gateway.runtime.runs(caller, page, state) };
  },
});

const one = defineRoute({
  method: "GET",
  path: "/v1/runs/:id",
  summary: "One run's record.",
  answer: runRecordSchema,
  handle: async ({ gateway, caller, id }) => ({ json: await gateway.runtime.run(caller, id) }),
});

const detail = defineRoute({
  method: "GET",
  path: "/v1/runs/:id/detail",
  summary: "One run with its pending calls, children, notes and census.",
  answer: runDetailSchema,
  handle: async ({ gateway, caller, id }) => ({ json: await gateway.runtime.runDetail(caller, id) }),
});

const ended = defineRoute({
  method: "GET",
  path: "/v1/runs/:id/ended",
  summary: "Wait until the run has ended, or until timeoutSeconds (default 30) are over; `ended` says which.",
  query: endedQuerySchema,
  answer: endedAnswerSchema,
  async handle(call) {
    const { runtime } = call.gateway;
    const timeoutMs = (call.query.timeoutSeconds ?? WAIT_TIMEOUT_SECONDS_DEFAULT) * 1_000;
    const run = await untilGone(call, {
      work: (signal) => runtime.runEnded(call.caller, call.id, signal),
      isAnswer: isFinal,
      timeoutMs,
    });
    return { json: { run, ended: isFinal(run) } };
  },
});

const stop = defineRoute({
  method: "POST",
  path: "/v1/runs/:id/stop",
  summary: "Stop a run with its children and their descendants.",
  body: stopRequestSchema,
  answer: stopAnswerSchema,
  handle: async ({ gateway, caller, id, body }) => ({ json: await gateway.runtime.stop(caller, id, body.reason) }),
});

const resume = defineRoute({
  method: "POST",
  path: "/v1/runs/:id/resume",
  summary: "Release a quarantined run; an unfinished one goes on by itself.",
  answer: runRecordSchema,
  handle: async ({ gateway, caller, id }) => ({ json: await gateway.runtime.resume(caller, id) }),
});

export const RUN_ROUTES: readonly RouteSpec[] = [submit, list, one, detail, ended, stop, resume];

function isFinal(run: RunRecord): boolean {
  return run.state !== "running" && run.state !== "waiting";
}
