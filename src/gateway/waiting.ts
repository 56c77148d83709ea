// Long calls: they end with their answer, with the client, with their time, or with the gateway, whichever
// is first. A client that goes away leaves nothing behind (L7); nothing polls (L8).

import { fault } from "../contract/fault.ts";
import { ClientGone } from "./problem.ts";
import type { RouteCall } from "./route.ts";
import { linkSignals } from "./signals.ts";

type LongCall = Pick<RouteCall<unknown, unknown>, "gateway" | "clientGone">;

export interface Waiting<Value> {
  /** Must end soon after the signal aborts: with the state as it stands, or with an error. */
  work(signal: AbortSignal): Promise<Value>;
  /** Whether the value is what was waited for, and not the state at the moment of the abort. */
  isAnswer(value: Value): boolean;
  /** Aborts the work after this time; then its value is the answer as it stands. */
  timeoutMs?: number;
}

/** Throws `storage_closed` when the gateway closes meanwhile, ClientGone when the client hangs up. */
export async function untilGone<Value>(call: LongCall, { work, isAnswer, timeoutMs }: Waiting<Value>): Promise<Value> {
  const linked = linkSignals([call.clientGone, call.gateway.closing]);
  const timer = timeoutMs === undefined ? undefined : call.gateway.clock.setTimer(timeoutMs, linked.abort);
  try {
    const value = await work(linked.signal);
    const cut = isAnswer(value) ? undefined : reasonOf(call);
    if (cut) throw cut;
    return value;
  } catch (error) {
    throw reasonOf(call) ?? error;
  } finally {
    timer?.cancel();
    linked.end();
  }
}

function reasonOf(call: LongCall): Error | undefined {
  if (call.gateway.closing.aborted) return fault("storage_closed", "The gateway is shutting down.");
  return call.clientGone.aborted ? new ClientGone() : undefined;
}
