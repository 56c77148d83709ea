// Small checks of raw options, each with a message of one form: place, what was expected, what was got.

import { AgencyConfigError } from "./errors.ts";

/** Options of one agent that only mean something to whoever sends. */
export const MEMBER_KEYS = [
  "instructions",
  "description",
  "model",
  "provider",
  "apiKey",
  "baseUrl",
  "effort",
  "maxTokens",
  "temperature",
  "tools",
  "maxSteps",
  "responseSchema",
  "dependsOn",
  "retries",
  "deadlineMs",
  "output",
] as const;

/** Accepted on a team and not acted on; each is told to the log. */
export const IGNORED_KEYS = [
  "agencies",
  "cognitiveMechanisms",
  "effort",
  "maxTokens",
  "memory",
  "observability",
  "permissions",
  "rag",
  "security",
  "thinking",
] as const;

export const TEAM_KEYS = [
  "agents",
  "name",
  "strategy",
  "instructions",
  "model",
  "provider",
  "apiKey",
  "baseUrl",
  "tools",
  "maxRounds",
  "quorum",
  "scheduling",
  "seatDeadlineMs",
  "concurrency",
  "adaptive",
  "emergent",
  "output",
  "controls",
  "hitl",
  "on",
  "provenance",
  "guardrails",
  ...IGNORED_KEYS,
] as const;

/** Options of the options that are objects. */
export const PARTS: { readonly [part: string]: readonly string[] } = {
  controls: [
    "maxTotalTokens",
    "maxCostUSD",
    "maxDurationMs",
    "maxAgentCalls",
    "onLimitReached",
    "enforce",
    "maxValidationRetries",
    "maxStepsPerAgent",
    "maxEmergentAgents",
  ],
  hitl: ["approvals", "handler", "timeoutMs", "onTimeout"],
  "hitl.approvals": ["beforeTool", "beforeAgent", "beforeEmergent", "beforeReturn", "beforeStrategyOverride"],
  emergent: ["enabled", "judge", "tier", "planner"],
  "emergent.planner": ["maxSpecialists", "requireJustification", "maxJudgeCalls", "judgeModel"],
  provenance: ["enabled", "hashChain", "record", "export"],
};

const GOT_CHARS_MAX = 60;

/** A value as a message may show it: short, and never a key. */
export function gotText(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > GOT_CHARS_MAX ? `${text.slice(0, GOT_CHARS_MAX)}…` : text;
}

export function checkObject(value: unknown, place: string): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new AgencyConfigError(`${place}: expected an object, got ${gotText(value)}`);
}

export function checkKeys(value: object, known: readonly string[], place: string): void {
  const wrong = Object.keys(value).find((key) => !known.includes(key));
  if (wrong === undefined) return;
  throw new AgencyConfigError(`${place}: there is no option ${gotText(wrong)}; options: ${known.join(", ")}`);
}

/** The value itself is not shown: it may be a key. */
export function checkText(value: unknown, place: string): void {
  if (value === undefined || typeof value === "string") return;
  throw new AgencyConfigError(`${place}: expected a text, got ${value === null ? "null" : `a ${typeof value}`}`);
}

export function checkCount(value: unknown, place: string, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (value === undefined) return;
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return;
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
  throw new AgencyConfigError(`${place}: expected a whole number, ${range}, got ${gotText(value)}`);
}

export function checkOneOf(value: unknown, known: readonly string[], place: string): void {
  if (value === undefined || known.includes(value as string)) return;
  const expected = known.map((name) => JSON.stringify(name)).join(", ");
  throw new AgencyConfigError(`${place}: expected one of ${expected}, got ${gotText(value)}`);
}
