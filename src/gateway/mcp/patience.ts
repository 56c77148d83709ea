// The waits of MCP tools: bounded by the configuration, ended by the client's cancellation and by the end
// of the gateway, with a sign of life in between. Nothing polls (L8); timer and listeners end with the wait (L7).

import type { Timer } from "../../contract/clock.ts";
import { WAIT_TIMEOUT_SECONDS_DEFAULT } from "../../contract/limits.ts";
import { linkSignals } from "../signals.ts";
import type { ToolCall } from "./tool.ts";

/** Between two progress notifications (I-001). */
export const PROGRESS_EVERY_SECONDS = 15;

/** What is asked for, within what is allowed (S-011). */
export function waitSeconds({ swarm }: ToolCall<unknown>, asked: number | undefined): number {
  return Math.min(asked ?? WAIT_TIMEOUT_SECONDS_DEFAULT, swarm().waitTimeoutSecondsMax);
}

/**
 * Runs `work` until it has its value; its signal aborts when the client cancels, when the gateway closes, and
 * after `timeoutSeconds`. `work` then gives the state as it stands.
 */
export async function waiting<Value>(
  call: ToolCall<unknown>,
  timeoutSeconds: number,
  what: string,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { clock, closing } = call.gateway;
  const linked = linkSignals([call.cancelled, closing]);
  const late = clock.setTimer(timeoutSeconds * 1_000, linked.abort);
  const life = signsOfLife(call, timeoutSeconds, what);
  try {
    return await work(linked.signal);
  } finally {
    life?.cancel();
    late.cancel();
    linked.end();
  }
}

function signsOfLife({ gateway, progress }: ToolCall<unknown>, total: number, what: string): Timer | undefined {
  if (!progress) return undefined;
  let passed = 0;
  const arm = (): Timer => gateway.clock.setTimer(PROGRESS_EVERY_SECONDS * 1_000, tell);
  let timer = arm();
  function tell(): void {
    passed += PROGRESS_EVERY_SECONDS;
    progress?.(passed, total, what);
    timer = arm();
  }
  return { cancel: () => timer.cancel() };
}
