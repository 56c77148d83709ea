// The raw options of a team become what the strategies read, once, when `agency()` is called. What is
// wrong is said with the option's name, what was got and what is expected; nothing is half-built.

import type { Json } from "../contract/json.ts";
import {
  checkCount,
  checkKeys,
  checkObject,
  checkOneOf,
  checkText,
  gotText,
  IGNORED_KEYS,
  MEMBER_KEYS,
  PARTS,
  TEAM_KEYS,
} from "./checks.ts";
import type { AgencyConfig, Agent, AgentConfig, StrategyName } from "./config.ts";
import { AgencyConfigError } from "./errors.ts";
import { dependenciesOf, tiersOf } from "./graph.ts";
import { routeFields } from "./members.ts";
import type { Member, Team } from "./team.ts";
import { readTools } from "./tools.ts";

export const MEMBERS_COUNT_MAX = 100;
export const ROUNDS_DEFAULT = 3;
export const ROUNDS_MAX = 100;
export const SEAT_RETRIES_MAX = 20;
const NAME_CHARS_MAX = 200;
/** Also a part of a tool's name: `delegate_to_<name>`. */
const DELEGATE_NAME = /^[A-Za-z0-9_-]{1,52}$/;
export const UNNAMED_AGENCY = "__agency__";
export const NO_DESCRIPTION = "General purpose";

const STRATEGIES: readonly StrategyName[] = [
  "sequential",
  "parallel",
  "debate",
  "review-loop",
  "hierarchical",
  "graph",
];
/** These make calls of their own, on the agency's model. */
const CHAIRED: ReadonlySet<StrategyName> = new Set(["parallel", "debate", "hierarchical"]);

export type Warn = (event: string, details: { [key: string]: Json }) => void;

/** @throws AgencyConfigError */
export function resolveTeam(config: AgencyConfig<never>, warn: Warn): Team {
  checkObject(config, "agency()");
  checkKeys(config, TEAM_KEYS, "agency()");
  for (const option of IGNORED_KEYS) {
    if (Object.hasOwn(config, option)) warn("agency_option_ignored", { option });
  }
  const members = membersOf(config);
  const strategy = strategyOf(config, members);
  const tiers = tiersOf(members);
  checkSettings(config, members, strategy);
  return {
    name: config.name ?? UNNAMED_AGENCY,
    strategy,
    members,
    tiers,
    route: routeFields(config),
    instructions: config.instructions,
    tools: readTools(config.tools, "tools"),
    maxRounds: config.maxRounds ?? ROUNDS_DEFAULT,
    quorum: quorumOf(config, members),
    scheduling: config.scheduling ?? "tiers",
    concurrency: config.concurrency ?? MEMBERS_COUNT_MAX,
    output: config.output,
    controls: config.controls ?? {},
    emergent: config.emergent?.enabled ? config.emergent : undefined,
    hitl: config.hitl,
    on: config.on,
    provenance: config.provenance,
    guardrails: guardrailsOf(config.guardrails),
  };
}

function membersOf(config: AgencyConfig<never>): Member[] {
  checkObject(config.agents, "agents");
  const entries = Object.entries(config.agents);
  if (entries.length === 0) throw new AgencyConfigError("agents: expected at least one member, got none");
  if (entries.length > MEMBERS_COUNT_MAX) {
    throw new AgencyConfigError(`agents: expected at most ${MEMBERS_COUNT_MAX} members, got ${entries.length}`);
  }
  return entries.map(([name, entry]) => memberOf(name, entry, config));
}

function memberOf(name: string, entry: AgentConfig | Agent, config: AgencyConfig<never>): Member {
  const place = `agents.${name}`;
  if (name.trim() === "" || name.length > NAME_CHARS_MAX) {
    throw new AgencyConfigError(`agents: a member's name has 1 to ${NAME_CHARS_MAX} characters; got ${gotText(name)}`);
  }
  checkObject(entry, place);
  const dependsOn = dependenciesOf(name, entry.dependsOn);
  const usual = { name, dependsOn, retries: 0, deadlineMs: config.seatDeadlineMs };
  if (isAgent(entry)) {
    const { description } = entry;
    const own = typeof description === "string" && description.trim() !== "" ? description : NO_DESCRIPTION;
    return { ...usual, description: own, seat: { kind: "built", agent: entry } };
  }
  checkMember(entry, place);
  return {
    ...usual,
    description: firstText(entry.description, entry.instructions) ?? NO_DESCRIPTION,
    retries: entry.retries ?? 0,
    deadlineMs: entry.deadlineMs ?? usual.deadlineMs,
    seat: { kind: "config", config: entry, tools: readTools(entry.tools, `${place}.tools`) },
  };
}

function isAgent(entry: AgentConfig | Agent): entry is Agent {
  return typeof (entry as Partial<Agent>).generate === "function";
}

function firstText(...texts: (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text.trim() !== "");
}

/** @throws AgencyConfigError */
export function checkMember(config: AgentConfig, place: string): void {
  checkKeys(config, MEMBER_KEYS, place);
  for (const key of ["instructions", "description", "model", "provider", "apiKey", "baseUrl", "effort"] as const) {
    checkText(config[key], `${place}.${key}`);
  }
  checkCount(config.maxSteps, `${place}.maxSteps`, 1, 1_000);
  checkCount(config.maxTokens, `${place}.maxTokens`, 1);
  checkCount(config.retries, `${place}.retries`, 0, SEAT_RETRIES_MAX);
  checkCount(config.deadlineMs, `${place}.deadlineMs`, 1);
  checkSchema(config.responseSchema, `${place}.responseSchema`);
}

/** adaptive goes before what is declared, what is declared before what is found. */
function strategyOf(config: AgencyConfig<never>, members: readonly Member[]): StrategyName {
  const given: string | undefined = config.strategy;
  if (given === "panel") {
    const why = config.adaptive ? "adaptive: true runs as hierarchical" : "there is no panel strategy yet";
    throw new AgencyConfigError(`strategy: "panel" cannot run: ${why}`);
  }
  checkOneOf(given, STRATEGIES, "strategy");
  if (config.adaptive) return "hierarchical";
  if (config.strategy) return config.strategy;
  return members.some((member) => member.dependsOn.length > 0) ? "graph" : "sequential";
}

function checkSettings(config: AgencyConfig<never>, members: readonly Member[], strategy: StrategyName): void {
  for (const key of ["name", "instructions", "model", "provider", "apiKey", "baseUrl"] as const) {
    checkText(config[key], key);
  }
  checkCount(config.maxRounds, "maxRounds", 1, ROUNDS_MAX);
  checkCount(config.concurrency, "concurrency", 1);
  checkCount(config.seatDeadlineMs, "seatDeadlineMs", 1);
  checkOneOf(config.scheduling, ["tiers", "ready"], "scheduling");
  checkSchema(config.output, "output");
  checkParts(config);
  checkCount(config.controls?.maxValidationRetries, "controls.maxValidationRetries", 0, 20);
  checkOneOf(config.controls?.onLimitReached, ["stop", "warn", "error"], "controls.onLimitReached");
  if (CHAIRED.has(strategy) && config.model === undefined && config.provider === undefined) {
    throw new AgencyConfigError(
      `strategy: ${gotText(strategy)} makes a call of its own: set model or provider on the agency itself`,
    );
  }
  if (strategy === "review-loop" && members.length !== 2) {
    throw new AgencyConfigError(`agents: review-loop takes exactly 2 members, got ${members.length}`);
  }
  if (strategy === "hierarchical") checkDelegateNames(members);
  if (config.emergent?.enabled && strategy !== "hierarchical") {
    throw new AgencyConfigError("emergent.enabled needs strategy: 'hierarchical' or adaptive: true");
  }
  const approvals = config.hitl?.approvals ?? {};
  const asks = Object.values(approvals).some((value) => (Array.isArray(value) ? value.length > 0 : value === true));
  if (asks && typeof config.hitl?.handler !== "function") {
    throw new AgencyConfigError("hitl.approvals needs hitl.handler, a function that decides");
  }
  checkCount(config.hitl?.timeoutMs, "hitl.timeoutMs", 1);
  checkOneOf(config.hitl?.onTimeout, ["reject", "approve", "error"], "hitl.onTimeout");
}

/** The options inside of options, by name; their values where a wrong one would go unseen. */
function checkParts(config: AgencyConfig<never>): void {
  for (const [part, known] of Object.entries(PARTS)) {
    const value: unknown = part
      .split(".")
      .reduce<unknown>((at, key) => (at as { [key: string]: unknown })?.[key], config);
    if (value === undefined) continue;
    checkObject(value, part);
    checkKeys(value as object, known, part);
  }
  const { controls = {}, emergent } = config;
  checkOneOf(controls.enforce, ["end", "live"], "controls.enforce");
  for (const key of ["maxTotalTokens", "maxDurationMs", "maxAgentCalls"] as const) {
    checkCount(controls[key], `controls.${key}`, 0);
  }
  const cost: unknown = controls.maxCostUSD;
  if (cost !== undefined && !(typeof cost === "number" && cost >= 0)) {
    throw new AgencyConfigError(`controls.maxCostUSD: expected a number, 0 or more, got ${gotText(cost)}`);
  }
  checkCount(emergent?.planner?.maxSpecialists, "emergent.planner.maxSpecialists", 0, MEMBERS_COUNT_MAX);
  checkCount(emergent?.planner?.maxJudgeCalls, "emergent.planner.maxJudgeCalls", 0);
}

function checkDelegateNames(members: readonly Member[]): void {
  const wrong = members.find(({ name }) => !DELEGATE_NAME.test(name));
  if (!wrong) return;
  throw new AgencyConfigError(
    `agents: ${gotText(wrong.name)} becomes a tool's name under hierarchical: at most 52 letters, digits, _ and -`,
  );
}

function quorumOf(config: AgencyConfig<never>, members: readonly Member[]): Team["quorum"] {
  const { quorum } = config;
  if (quorum === undefined) return undefined;
  checkObject(quorum, "quorum");
  checkKeys(quorum, ["minAgents", "minProviders", "onShortfall"], "quorum");
  checkCount(quorum.minAgents, "quorum.minAgents", 0, members.length);
  checkCount(quorum.minProviders, "quorum.minProviders", 0, members.length);
  checkOneOf(quorum.onShortfall, ["error", "proceed"], "quorum.onShortfall");
  const { minAgents = 0, minProviders = 0, onShortfall = "error" } = quorum;
  return { minAgents, minProviders, onShortfall };
}

/** A list holds for the prompt and for the answer. */
function guardrailsOf(given: AgencyConfig["guardrails"]): Team["guardrails"] {
  if (given === undefined) return { input: [], output: [] };
  const isList = Array.isArray(given);
  if (!isList) {
    checkObject(given, "guardrails");
    checkKeys(given, ["input", "output"], "guardrails");
  }
  const { input = [], output = [] } = isList
    ? { input: given, output: given }
    : (given as Exclude<typeof given, readonly string[]>);
  const wrong = [input, output].find((ids) => !Array.isArray(ids) || ids.some((id) => typeof id !== "string"));
  if (wrong === undefined) return { input, output };
  throw new AgencyConfigError(`guardrails: expected ids, a list of texts, got ${gotText(wrong)}`);
}

function checkSchema(schema: unknown, place: string): void {
  if (schema === undefined) return;
  if (typeof (schema as { safeParse?: unknown } | null)?.safeParse === "function") return;
  throw new AgencyConfigError(`${place}: expected a Zod schema, got ${gotText(schema)}`);
}
