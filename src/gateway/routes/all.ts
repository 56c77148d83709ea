// Every route of the gateway, in the order in which the documents list them.

import { documentAnswerSchema } from "../answers.ts";
import { openApiDocument } from "../openapi.ts";
import { defineRoute, type RouteSpec } from "../route.ts";
import { CHILD_ROUTES } from "./children.ts";
import { EVENT_ROUTES } from "./events.ts";
import { HISTORY_ROUTES } from "./history.ts";
import { OPERATION_ROUTES } from "./operation.ts";
import { PEOPLE_ROUTES } from "./people.ts";
import { RUN_ROUTES } from "./runs.ts";
import { WORKFLOW_ROUTES } from "./workflows.ts";

const document = defineRoute({
  method: "GET",
  path: "/v1/openapi.json",
  summary: "This interface as an OpenAPI 3.1 document.",
  answer: documentAnswerSchema,
  handle: async ({ gateway }) => ({ json: openApiDocument(ROUTES, gateway.runtime.health().version) }),
});

export const ROUTES: readonly RouteSpec[] = [
  ...RUN_ROUTES,
  ...HISTORY_ROUTES,
  ...WORKFLOW_ROUTES,
  ...CHILD_ROUTES,
  ...EVENT_ROUTES,
  ...PEOPLE_ROUTES,
  ...OPERATION_ROUTES,
  document,
];
