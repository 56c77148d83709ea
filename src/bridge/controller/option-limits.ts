// The bounds of the surface's options, as the schemas of src/contract/calls.ts have them: the guest
// refuses at the call what the host would refuse later. A test holds the two together.

import {
  BUDGET_SECONDS_MAX,
  BUDGET_TOKENS_MAX,
  BUDGET_USD_MAX,
  GROUP_ID_CHARS_MAX,
  IDEMPOTENCY_KEY_CHARS_MAX,
  LABEL_CHARS_MAX,
  PHASE_CHARS_MAX,
  RETRIES_MAX,
  SLEEP_MS_MAX,
} from "../../contract/limits.ts";

export const fieldLimits = {
  label: LABEL_CHARS_MAX,
  model: 200,
  thinking: 40,
  agentId: 100,
  phase: PHASE_CHARS_MAX,
  timeoutMs: SLEEP_MS_MAX,
  retries: RETRIES_MAX,
  /** Entries, and characters of one entry. */
  tools: 200,
  tool: 200,
  groupId: GROUP_ID_CHARS_MAX,
  key: IDEMPOTENCY_KEY_CHARS_MAX,
};

export const budgetLimits = { tokens: BUDGET_TOKENS_MAX, usd: BUDGET_USD_MAX, seconds: BUDGET_SECONDS_MAX };
export const fastModes = [true, false, "auto"] as const;
export const restartModes = ["rerun", "fail"] as const;
