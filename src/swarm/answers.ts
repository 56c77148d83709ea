// Stored settlements as guest answers, and the errors that swarm itself answers with (G-004).

import type { Answer } from "../bridge/port.ts";
import type { FaultData } from "../contract/fault.ts";
import type { JsonText } from "../contract/json.ts";
import type { UndeliveredAnswer } from "../registry/port.ts";

export function toGuestAnswer(row: UndeliveredAnswer): Answer {
  const meta = row.usage
    ? { inputTokens: row.usage.inputTokens, outputTokens: row.usage.outputTokens, costUsd: row.costUsd ?? 0 }
    : undefined;
  if (row.ok) return { callId: row.callId, ok: true, value: row.payload, meta };
  return { callId: row.callId, ok: false, error: JSON.parse(row.payload), meta };
}

/** The payload of a spawn that was refused: the script sees a SwarmAgentError with the fault's code. */
export function refusedSpawnPayload(childId: string, label: string | undefined, fault: FaultData): JsonText {
  const data: Record<string, unknown> = { runId: childId, status: "failed", attempts: 0, text: "", code: fault.code };
  if (label !== undefined) data.label = label;
  return JSON.stringify({ name: "SwarmAgentError", message: `${fault.message} ${fault.next}`, data });
}
