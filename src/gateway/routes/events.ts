// Event streams: one run's, and everything the caller may see (I-002).

import { eventsQuerySchema } from "../../contract/api.ts";
import { fault } from "../../contract/fault.ts";
import { eventStream } from "../event-stream.ts";
import { defineRoute, type RouteSpec } from "../route.ts";

const ofRun = defineRoute({
  method: "GET",
  path: "/v1/runs/:id/events",
  summary:
    "One run's events as they are committed; from its first one, unless `after` or Last-Event-ID says otherwise.",
  query: eventsQuerySchema,
  answer: "event-stream",
  async handle({ gateway, caller, id, query, header }) {
    await gateway.runtime.run(caller, id);
    const after = lastEventId(header("last-event-id")) ?? query.after ?? 0;
    return { stream: eventStream(gateway, { caller, runId: id, after }) };
  },
});

const all = defineRoute({
  method: "GET",
  path: "/v1/events",
  summary: "All events that the caller may see; from now on, unless `after` or Last-Event-ID says otherwise.",
  query: eventsQuerySchema,
  answer: "event-stream",
  async handle({ gateway, caller, query, header }) {
    const asked = lastEventId(header("last-event-id")) ?? query.after;
    const after = asked ?? (await gateway.runtime.lastEventSeq());
    return { stream: eventStream(gateway, { caller, runId: undefined, after }) };
  },
});

/** Goes before the query: a browser repeats the URL it began with and adds the header. */
function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  const seq = /^\d{1,16}$/.test(header) ? Number(header) : Number.NaN;
  if (!Number.isSafeInteger(seq)) throw fault("bad_request", "The Last-Event-ID header is not an event's number.");
  return seq;
}

export const EVENT_ROUTES: readonly RouteSpec[] = [ofRun, all];
