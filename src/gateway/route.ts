// What one route is: data that the router, the OpenAPI document, the access matrix and the docs share.

import type { z } from "zod";
import type { Clock } from "../contract/clock.ts";
import type { Caller, Runtime } from "../runtime/api.ts";
import type { Log } from "./log.ts";

/** What every route of one gateway shares. */
export interface GatewayContext {
  runtime: Runtime;
  clock: Clock;
  log: Log;
  /** Aborted when the gateway begins to close: waits and streams end (L7). */
  closing: AbortSignal;
  /** This process, as /healthz and gateway.json tell it. */
  instance: string;
}

/** One request, checked, as a route's handler sees it. */
export interface RouteCall<Body, Query> {
  gateway: GatewayContext;
  caller: Caller;
  /** The path's `:id`, decoded; empty in a route without one. */
  id: string;
  /** The path's `:name`, decoded; empty in a route without one. */
  name: string;
  body: Body;
  query: Query;
  header(name: string): string | undefined;
  /** Aborted when the client hangs up. */
  clientGone: AbortSignal;
}

export type Answer =
  | { json: unknown; status?: 200 | 201 | 202; location?: string }
  | { stream: ReadableStream<Uint8Array> };

export interface RouteSpec {
  readonly method: "GET" | "POST";
  /** A hono pattern; its parameters are `:id` and `:name`. */
  readonly path: string;
  readonly summary: string;
  /** Needs no token. */
  readonly open?: true;
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
  readonly answer: z.ZodType | "event-stream";
  /** Of a good answer; 200 when it is absent. */
  readonly status?: number;
  handle(call: RouteCall<unknown, unknown>): Promise<Answer>;
}

interface TypedRoute<Body extends z.ZodType, Query extends z.ZodType> extends RouteSpec {
  readonly body?: Body;
  readonly query?: Query;
  handle(call: RouteCall<z.infer<Body>, z.infer<Query>>): Promise<Answer>;
}

/** Gives the handler the types of its schemas. */
export function defineRoute<Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
  route: TypedRoute<Body, Query>,
): RouteSpec {
  return route;
}
