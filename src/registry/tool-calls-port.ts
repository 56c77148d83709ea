// Calls of tools that scripts made and that nobody has answered yet: what a gateway runs again at its start
// . They are answered like every call from outside, with `settleCall`.

import type { ToolCallArgs } from "../contract/calls.ts";

export interface StoredToolCall {
  runId: string;
  callId: number;
  args: ToolCallArgs;
  /** Where a listing goes on. */
  place: { runN: number; callId: number };
}

export interface ToolCallReaders {
  /** Of runs that are going on, or of one of them, in their order, after `after`. */
  pendingToolCalls(
    after: StoredToolCall["place"] | undefined,
    limit: number,
    runId?: string,
  ): Promise<StoredToolCall[]>;
}
