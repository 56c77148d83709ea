// What people and programs outside say to a run: decided or kept in the registry, once (L3), and the run is
// woken by the commit that concerns it (L8).

import type { ApprovalRecord, ApprovalRequest, EventAnswer } from "../contract/approvals.ts";
import { eventNameSchema } from "../contract/approvals.ts";
import { fault } from "../contract/fault.ts";
import { type Json, type JsonText, utf8ByteCount } from "../contract/json.ts";
import { APPROVAL_DATA_BYTES_MAX, EVENT_NAME_CHARS_MAX, EVENT_PAYLOAD_BYTES_MAX } from "../contract/limits.ts";
import type { Viewer } from "../registry/readers-port.ts";
import type { SwarmContext } from "./context.ts";

export interface PeopleParts {
  context: SwarmContext;
  wake: (runIds: string[]) => void;
}

/** @throws Fault `not_found`, `wrong_state` (decided already), `body_too_large` */
export async function decide(
  { context, wake }: PeopleParts,
  viewer: Viewer,
  approvalId: string,
  request: ApprovalRequest,
): Promise<ApprovalRecord> {
  const { decision, comment } = request;
  const data = request.data === undefined ? undefined : boundedText("data", request.data, APPROVAL_DATA_BYTES_MAX);
  const decided = await context.registry.decideApproval({
    ...{ approvalId, viewer, decision, comment, data, at: context.clock.now() },
  });
  wake(decided.runIds);
  return decided.approval;
}

export interface RunEvent {
  runId: string;
  name: string;
  payload: Json;
}

/** @throws Fault `bad_request` (name), `not_found`, `wrong_state` (ended), `event_inbox_full`, `body_too_large` */
export async function send({ context, wake }: PeopleParts, viewer: Viewer, event: RunEvent): Promise<EventAnswer> {
  const { runId, name } = event;
  if (!eventNameSchema.safeParse(name).success) throw badName(name);
  const payload = boundedText("the event", event.payload, EVENT_PAYLOAD_BYTES_MAX);
  const kept = await context.registry.sendEvent({ runId, viewer, name, payload, at: context.clock.now() });
  wake(kept.runIds);
  return { runId, name, delivered: kept.applied, kept: kept.kept };
}

function badName(name: string): Error {
  return fault("bad_request", `${JSON.stringify(name.slice(0, 60))} is no name of an event.`, {
    next: `Use letters, digits and . _ : - beginning with a letter or a digit, at most ${EVENT_NAME_CHARS_MAX} characters.`,
  });
}

function boundedText(what: string, value: Json, limitBytes: number): JsonText {
  const text = JSON.stringify(value);
  const bytes = utf8ByteCount(text);
  if (bytes <= limitBytes) return text;
  throw fault("body_too_large", `${what} takes ${bytes} bytes as JSON; at most ${limitBytes} are allowed.`, {
    details: { bytes, limitBytes },
    next: "Send less, for example the place where the data can be read.",
  });
}
