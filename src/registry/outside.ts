// Calls that somebody outside the run answers: a program that sends an event, a tool. They wait as rows
// and nothing else (L11), whatever runs them, and are answered once (L3).

import { OUTSIDE_METHODS } from "../contract/calls.ts";
import { settleCall, type Wakes } from "./answers.ts";
import { failureText } from "./inbox.ts";
import type { OutsideAnswer, Settled } from "./port.ts";
import type { Store } from "./store.ts";

/** Changes nothing when the call is unknown, was answered, or is answered by something else (a child, the clock). */
export function settleFromOutside(store: Store, runId: string, callId: number, answer: OutsideAnswer): Settled {
  const call = store.calls.pending.get(runId, callId);
  if (!call || !OUTSIDE_METHODS.some((method) => method === call.method)) return { applied: false, runIds: [] };
  const wakes: Wakes = new Set();
  const applied = settleCall(store, call, { ok: answer.ok, source: "text", payload: answer.payload }, wakes);
  return { applied, runIds: [...wakes] };
}

/** What a call is told whose time-out has passed. `payload` is what the row says that it waits for. */
export function lateAnswer(method: string, payload: string | null): string {
  if (method !== "waitForEvent") {
    return failureText("TimeoutError", `Nobody answered ${method} in time.`, { code: "timeout" });
  }
  const event = JSON.parse(payload ?? '""') as string;
  const message = `The event ${JSON.stringify(event)} did not come in time.`;
  return failureText("TimeoutError", message, { code: "event_timeout", event });
}
