// Stored settlements as guest answers, and the errors that swarm itself answers with (G-004).

import type { Answer, GuestSpending } from "../bridge/port.ts";
import type { FaultData } from "../contract/fault.ts";
import type { JsonText } from "../contract/json.ts";
import type { UndeliveredAnswer } from "../registry/port.ts";
import type { RunSpending } from "../registry/spending-port.ts";

/** @param spending what the run has spent as it stands now; the script sees it with its answer (G-010) */
export function toGuestAnswer(row: UndeliveredAnswer, spending: RunSpending | undefined): Answer {
  const { inputTokens = 0, outputTokens = 0 } = row.usage ?? {};
  const meta = { inputTokens, outputTokens, costUsd: row.costUsd ?? 0, run: spending && toGuestSpending(spending) };
  if (row.ok) return { callId: row.callId, ok: true, value: row.payload, meta };
  return { callId: row.callId, ok: false, error: JSON.parse(row.payload), meta };
}

export function toGuestSpending({ tokens, usd, tokensLeft, usdLeft }: RunSpending): GuestSpending {
  return { tokens, usd, tokensLeft, usdLeft };
}

/** The payload of a spawn that was refused: the script sees a SwarmAgentError with the fault's code. */
export function refusedSpawnPayload(childId: string, label: string | undefined, fault: FaultData): JsonText {
  const data: Record<string, unknown> = { runId: childId, status: "failed", attempts: 0, text: "", code: fault.code };
  if (label !== undefined) data.label = label;
  return JSON.stringify({ name: "SwarmAgentError", message: `${fault.message} ${fault.next}`, data });
}
