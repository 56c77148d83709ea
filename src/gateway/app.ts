// The router: every request passes the same gate (Host, Origin, token) before a route is looked at, every
// answer gets the same headers, every error becomes a problem document, every request one log line.
// The gate decides who may ask; what is answered is decided by the runtime.

import { type Context, Hono } from "hono";
import { randomHex } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import type { Caller } from "../runtime/api.ts";
import { emptyBodySchema } from "./bodies.ts";
import { readBody, readQuery } from "./body.ts";
import { type AddressRules, refuseForeign } from "./guard.ts";
import { framesOf } from "./log.ts";
import { MCP_PATH, type McpEndpoint } from "./mcp/endpoint.ts";
import { CLIENT_GONE_STATUS, ClientGone, PROBLEM_TYPE, problemOfError } from "./problem.ts";
import type { Answer, GatewayContext, RouteSpec } from "./route.ts";
import { ROUTES } from "./routes/all.ts";
import type { Authenticate } from "./token.ts";

type Env = { Variables: { caller: Caller; requestId: string; pattern: string; code: string; allow: string } };

export interface AppOptions {
  gateway: GatewayContext;
  rules: AddressRules;
  authenticate: Authenticate;
  mcp: McpEndpoint;
}

/** Callers of open routes: they see and may do nothing else. */
const ANYBODY: Caller = { sessionKey: "", operator: false };
const REQUEST_ID_BYTES = 8;
const MCP_METHODS = ["GET", "POST", "DELETE"];
/** Told while the gateway closes: no error of anybody's. */
const UNAVAILABLE = 503;
/** Said in so many words, the transfer encoding makes the adapter send the head at once, before the first event. */
const STREAM_HEADERS = { "content-type": "text/event-stream", "transfer-encoding": "chunked" };
const SAFE_HEADERS: readonly [string, string][] = [
  ["x-content-type-options", "nosniff"],
  ["cache-control", "no-store"],
  ["referrer-policy", "no-referrer"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["cross-origin-resource-policy", "same-origin"],
];

export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use((context, next) => around(options.gateway, context, next));
  app.use(async (context, next) => {
    passGate(options, context);
    await next();
  });
  for (const route of ROUTES) {
    app.on(route.method, route.path, (context) => answer(options.gateway, route, context));
  }
  for (const path of new Set(ROUTES.map((route) => route.path))) {
    app.all(path, (context) => refuseMethod(context, path));
  }
  app.on(MCP_METHODS, MCP_PATH, (context) => answerMcp(options.mcp, context));
  app.notFound((context) => problem(options.gateway, context, unknownPath()));
  app.onError((error, context) => problem(options.gateway, context, error));
  return app;
}

async function around(gateway: GatewayContext, context: Context<Env>, next: () => Promise<void>): Promise<void> {
  const startedMs = gateway.clock.monotonic();
  const requestId = randomHex(REQUEST_ID_BYTES);
  context.set("requestId", requestId);
  await next();
  const { headers, status } = context.res;
  for (const [name, value] of SAFE_HEADERS) headers.set(name, value);
  headers.set("x-request-id", requestId);
  if (gateway.closing.aborted) headers.set("connection", "close");
  const code = context.get("code");
  gateway.log(status >= 500 && status !== UNAVAILABLE ? "error" : "info", "request", {
    request: requestId,
    method: context.req.method,
    route: context.get("pattern") ?? "none",
    status,
    ...(code !== undefined && { code }),
    ms: Math.round((gateway.clock.monotonic() - startedMs) * 100) / 100,
  });
}

/** In this order: a foreign page learns nothing, not even whether a token is right or a path exists. */
function passGate({ gateway, rules, authenticate }: AppOptions, context: Context<Env>): void {
  refuseForeign(
    {
      host: context.req.header("host"),
      origin: context.req.header("origin"),
      fetchSite: context.req.header("sec-fetch-site"),
    },
    rules,
  );
  const open = ROUTES.some((route) => route.open && route.path === context.req.path);
  const caller = authenticate(context.req.header("authorization"));
  if (!caller && !open) throw fault("unauthorized", "The request carries no valid bearer token.");
  if (gateway.closing.aborted) throw fault("storage_closed", "The gateway is shutting down.");
  context.set("caller", open || !caller ? ANYBODY : caller);
}

async function answer(gateway: GatewayContext, route: RouteSpec, context: Context<Env>): Promise<Response> {
  context.set("pattern", route.path);
  const { req } = context;
  const query = route.query ? readQuery(req, route.query) : undefined;
  const body = route.method === "POST" ? await readBody(req, route.body ?? emptyBodySchema) : undefined;
  const given = await route.handle({
    gateway,
    caller: context.get("caller"),
    id: req.param("id") ?? "",
    name: req.param("name") ?? "",
    query,
    body,
    header: (name) => req.header(name),
    get clientGone() {
      return req.raw.signal;
    },
  });
  return toResponse(given);
}

function answerMcp(mcp: McpEndpoint, context: Context<Env>): Promise<Response> {
  context.set("pattern", MCP_PATH);
  return mcp.answer(context.req.raw, context.get("caller"));
}

function toResponse(given: Answer): Response {
  if ("stream" in given) return new Response(given.stream, { headers: STREAM_HEADERS });
  const headers: { [name: string]: string } = { "content-type": "application/json" };
  if (given.location) headers.location = given.location;
  return new Response(JSON.stringify(given.json), { status: given.status ?? 200, headers });
}

function refuseMethod(context: Context<Env>, path: string): never {
  context.set("pattern", path);
  const allowed = ROUTES.filter((route) => route.path === path).map((route) => route.method);
  context.set("allow", allowed.join(", "));
  throw fault("method_not_allowed", `This path answers ${allowed.join(" and ")} only.`);
}

function unknownPath(): Error {
  return fault("not_found", "There is nothing at this path.", { next: "See GET /v1/openapi.json for what there is." });
}

function problem(gateway: GatewayContext, context: Context<Env>, error: unknown): Response {
  if (error instanceof ClientGone) return new Response(null, { status: CLIENT_GONE_STATUS });
  const document = problemOfError(error);
  context.set("code", document.code);
  if (document.code === "internal") {
    gateway.log("error", "unexpected error", { request: context.get("requestId"), at: framesOf(error) });
  }
  const headers: { [name: string]: string } = { "content-type": PROBLEM_TYPE };
  if (document.code === "unauthorized") headers["www-authenticate"] = 'Bearer realm="quickswarm"';
  if (document.code === "method_not_allowed") headers.allow = context.get("allow");
  return new Response(JSON.stringify(document), { status: document.status, headers });
}
