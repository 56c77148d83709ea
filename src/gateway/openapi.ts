// The OpenAPI 3.1 document, made from the routes and the same schemas that check the requests (I-002).

import { z } from "zod";
import { problemSchema, waitRequestSchema } from "../contract/api.ts";
import { approvalRecordSchema } from "../contract/approvals.ts";
import type { Json } from "../contract/json.ts";
import {
  childRecordSchema,
  groupRecordSchema,
  runDetailSchema,
  runRecordSchema,
  waitAnswerSchema,
} from "../contract/records.ts";
import { approvalBodySchema, spawnBodySchema, submitBodySchema } from "./bodies.ts";
import type { RouteSpec } from "./route.ts";

type JsonObject = { [key: string]: Json };
type Direction = "input" | "output";

/** Schemas that deserve a name of their own; all others are named after their route. */
const NAMES = new Map<z.ZodType, string>([
  [submitBodySchema, "SubmitRequest"],
  [spawnBodySchema, "SpawnRequest"],
  [waitRequestSchema, "WaitRequest"],
  [waitAnswerSchema, "WaitAnswer"],
  [runRecordSchema, "RunRecord"],
  [runDetailSchema, "RunDetail"],
  [childRecordSchema, "ChildRecord"],
  [groupRecordSchema, "GroupRecord"],
  [approvalBodySchema, "ApprovalRequest"],
  [approvalRecordSchema, "ApprovalRecord"],
  [problemSchema, "Problem"],
]);

const IDEMPOTENCY_HEADER: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  description: "The same as idempotencyKey in the body.",
  schema: { type: "string" },
};
const RESUME_HEADER: JsonObject = {
  name: "Last-Event-ID",
  in: "header",
  description: "Go on after this event; goes before `after`.",
  schema: { type: "integer" },
};

export function openApiDocument(routes: readonly RouteSpec[], version: string): JsonObject {
  const schemas: JsonObject = {};
  const paths: { [path: string]: JsonObject } = {};
  for (const route of routes) {
    const path = route.path.replace(":id", "{id}").replace(":name", "{name}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "quickswarm gateway", version },
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

/** `POST /v1/runs/:id/stop` becomes `postRunsIdStop`. */
export function operationId(route: RouteSpec): string {
  const words = route.path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "v1");
  return route.method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function operationOf(route: RouteSpec, schemas: JsonObject): JsonObject {
  const id = operationId(route);
  const operation: JsonObject = { operationId: id, summary: route.summary };
  if (route.open) operation.security = [];
  const parameters = parametersOf(route);
  if (parameters.length > 0) operation.parameters = parameters;
  if (route.method === "POST") {
    const schema = route.body ? reference(route.body, `${id}Request`, "input", schemas) : { type: "object" };
    operation.requestBody = { required: route.body !== undefined, content: { "application/json": { schema } } };
  }
  operation.responses = {
    [String(route.status ?? 200)]: goodAnswer(route, schemas),
    default: {
      description: "A problem document (RFC 9457).",
      content: { "application/problem+json": { schema: reference(problemSchema, "Problem", "output", schemas) } },
    },
  };
  return operation;
}

function goodAnswer(route: RouteSpec, schemas: JsonObject): JsonObject {
  if (route.answer === "event-stream") {
    const schema: JsonObject = { type: "string" };
    return { description: "Server-sent events.", content: { "text/event-stream": { schema } } };
  }
  const schema = reference(route.answer, `${operationId(route)}Answer`, "output", schemas);
  return { description: "The answer.", content: { "application/json": { schema } } };
}

function parametersOf(route: RouteSpec): Json[] {
  const parameters: Json[] = [];
  for (const name of ["id", "name"]) {
    if (!route.path.includes(`:${name}`)) continue;
    parameters.push({ name, in: "path", required: true, schema: { type: "string" } });
  }
  if (route.query) {
    const { properties } = plainSchema(route.query, "input") as { properties?: JsonObject };
    for (const [name, schema] of Object.entries(properties ?? {})) parameters.push({ name, in: "query", schema });
  }
  if (route.body === submitBodySchema || route.body === spawnBodySchema) parameters.push(IDEMPOTENCY_HEADER);
  if (route.answer === "event-stream") parameters.push(RESUME_HEADER);
  return parameters;
}

/** Puts the schema among the components and answers a reference to it. */
function reference(schema: z.ZodType, ownName: string, direction: Direction, schemas: JsonObject): JsonObject {
  const name = NAMES.get(schema) ?? ownName;
  if (schemas[name] === undefined) {
    // What a schema refers to inside itself becomes components beside it, under its name.
    const text = JSON.stringify(plainSchema(schema, direction)).replaceAll(
      '"#/$defs/',
      `"#/components/schemas/${name}.`,
    );
    const { $defs, ...rest } = JSON.parse(text) as JsonObject & { $defs?: JsonObject };
    schemas[name] = rest;
    for (const [inner, definition] of Object.entries($defs ?? {})) schemas[`${name}.${inner}`] = definition;
  }
  return { $ref: `#/components/schemas/${name}` };
}

function plainSchema(schema: z.ZodType, io: Direction): JsonObject {
  const { $schema: _dialect, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonObject;
  return plain;
}
