// The readers of tool-calls-port.ts, on the connection that sees committed state only (L9).

import type { ToolCallArgs } from "../contract/calls.ts";
import { type Connection, query } from "./driver.ts";
import type { StoredToolCall } from "./tool-calls-port.ts";

interface ToolCallRow {
  runN: number;
  runId: string;
  callId: number;
  payload: string | null;
}

export function prepareToolCallReaders(reader: Connection) {
  const pending = query<ToolCallRow>(
    reader,
    `SELECT r.n AS runN, r.run_id AS runId, k.call_id AS callId, k.payload
     FROM runs r JOIN calls k ON k.run_n = r.n AND k.state = 'pending' AND k.method = 'toolCall'
     WHERE r.ended_at IS NULL AND (? IS NULL OR r.run_id = ?) AND (r.n, k.call_id) > (?, ?) ORDER BY r.n, k.call_id LIMIT ?`,
  );
  return {
    pendingToolCalls: (after: StoredToolCall["place"] | undefined, limit: number, runId?: string): StoredToolCall[] =>
      pending
        .all(runId ?? null, runId ?? null, after?.runN ?? 0, after?.callId ?? 0, limit)
        .map(({ runN, runId, callId, payload }) => {
          const args = JSON.parse(payload ?? "{}") as ToolCallArgs;
          return { runId, callId, args, place: { runN, callId } };
        }),
  };
}
