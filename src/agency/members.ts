// Asks one member, whatever it is: an agent that the team builds, an agent or agency built before, or an object
// of the host's own. Every strategy comes through here, so approvals, deadlines, records and events are here
// and nowhere else.

import { isFault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import { branchOf, untilAborted } from "./abort.ts";
import type { Agent, AgentCallRecord, AgentConfig, AgentResult, GenerateOptions } from "./config.ts";
import { converse, forThisCall, type Place } from "./converse.ts";
import type { RouteFields } from "./port.ts";
import type { Run, Slot } from "./run.ts";
import type { Member } from "./team.ts";
import { mergedTools, type ToolReader } from "./tools.ts";
import { usageOf } from "./usage.ts";

/** Steps of one call of a member that sets no `maxSteps`. */
export const SEAT_STEPS_MAX = 10;

export type Outcome =
  | { kind: "answered"; result: AgentResult }
  /** Rejected by its approver, or an agency of which nobody answered. */
  | { kind: "skipped"; why: "rejected" | "unanswered"; reason?: string | undefined };

/** How an agent or agency of this library takes its seat: inside the run, with keys below its place. */
export const TAKE_SEAT = Symbol("quickswarm.agency.takeSeat");

export interface SeatTaker {
  [TAKE_SEAT](run: Run, name: string, input: string, place: Place): Promise<AgentResult & { answered: boolean }>;
}

/**
 * @throws what the member failed with, after its retries
 */
export async function askMember(run: Run, member: Member, prompt: string, slot: Slot = run.slot()): Promise<Outcome> {
  const name = encodeURIComponent(member.name);
  const path = run.place(name);
  return run.lane.run(async () => {
    const input = await approvedInput(run, member, prompt, path);
    if (typeof input !== "string") return input;
    run.begin();
    run.emit({ type: "agent-start", agent: member.name, input });
    const result = await withRetries(run, member, { name, path }, input);
    if (!result.answered) return { kind: "skipped", why: "unanswered" };
    const { text, durationMs } = result;
    slot.fill(recordOf(member.name, input, result));
    run.emit({ type: "agent-end", agent: member.name, output: text, durationMs });
    return { kind: "answered", result };
  });
}

async function approvedInput(run: Run, member: Member, prompt: string, path: string): Promise<string | Outcome> {
  const asked = run.team.hitl?.approvals?.beforeAgent?.includes(member.name);
  if (!asked) return prompt;
  const { approved, reason, modifications } = await run.approve(
    {
      type: "agent",
      agent: member.name,
      action: `run ${member.name}`,
      description: `Let the member ${member.name} work.`,
      details: { input: prompt },
    },
    path,
  );
  if (!approved) return { kind: "skipped", why: "rejected", reason };
  const added = modifications?.instructions;
  return added === undefined || added === "" ? prompt : `${prompt}\n\n${added}`;
}

type Spoken = AgentResult & { answered: boolean };

async function withRetries(
  run: Run,
  member: Member,
  first: { name: string; path: string },
  input: string,
): Promise<Spoken> {
  let path = first.path;
  for (let left = member.retries; ; left -= 1) {
    const branch = branchOf({
      parents: [run.signal],
      clock: run.host.clock,
      deadlineMs: member.deadlineMs,
      what: `The member ${member.name}`,
    });
    try {
      return await speak(run, member, input, { path, signal: branch.signal });
    } catch (error) {
      if (left <= 0 || run.signal.aborted || (isFault(error) && error.code === "agency_config")) throw error;
      path = run.place(first.name);
    } finally {
      branch.end();
    }
  }
}

function speak(run: Run, member: Member, input: string, place: Place): Promise<Spoken> {
  const { seat } = member;
  if (seat.kind === "config") return speakAsConfigured(run, member.name, seat.config, seat.tools, input, place);
  if (isSeatTaker(seat.agent)) return seat.agent[TAKE_SEAT](run, member.name, input, place);
  return speakAsForeign(run, seat.agent, input, place);
}

async function speakAsConfigured(
  run: Run,
  name: string,
  config: AgentConfig,
  own: ToolReader,
  input: string,
  place: Place,
): Promise<Spoken> {
  const { instructions, maxSteps = SEAT_STEPS_MAX, responseSchema } = config;
  const routed = forThisCall(run, routeFields(config), run.team.route, config);
  const tools = mergedTools(run.team.tools, own);
  const speaker = { name, role: "member" as const, ...routed, system: instructions, tools, maxSteps, responseSchema };
  return { ...(await converse(run, speaker, input, place)), answered: true };
}

/** An object of the host's own: its whole call is one step, and what it says about itself is checked. */
async function speakAsForeign(run: Run, agent: Agent, input: string, place: Place): Promise<Spoken> {
  const options: GenerateOptions = { ...run.options, abortSignal: place.signal };
  const key = { runId: run.id, path: place.path, index: 0 };
  const started = run.host.clock.monotonic();
  const work = run.once(key, async () => {
    const given = (await agent.generate(input, options)) as { [key: string]: unknown };
    return foreignResult(given, run.host.clock.monotonic() - started);
  });
  const result = (await untilAborted(place.signal, work)) as unknown as AgentResult;
  run.bill(result.usage);
  return { ...result, answered: true };
}

function foreignResult(given: { [key: string]: unknown }, durationMs: number): Json {
  const { text, provider, model } = given ?? {};
  const result = {
    text: typeof text === "string" ? text : "",
    usage: usageOf(given?.usage),
    toolCalls: Array.isArray(given?.toolCalls) ? given.toolCalls : [],
    durationMs,
    ...(typeof provider === "string" ? { provider } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(given?.parsed === undefined ? {} : { parsed: given.parsed }),
  };
  return JSON.parse(JSON.stringify(result)) as Json;
}

/** The route fields that are there, also as undefined. */
export function routeFields(config: RouteFields): RouteFields {
  return Object.fromEntries(ROUTE_KEYS.filter((key) => Object.hasOwn(config, key)).map((key) => [key, config[key]]));
}

const ROUTE_KEYS = ["model", "provider", "apiKey", "baseUrl"] as const;

function isSeatTaker(agent: Agent): agent is Agent & SeatTaker {
  return typeof (agent as Partial<SeatTaker>)[TAKE_SEAT] === "function";
}

function recordOf(agent: string, input: string, result: AgentResult): AgentCallRecord {
  const { text, toolCalls, usage, provider, model, fallback, durationMs } = result;
  return {
    agent,
    input,
    output: text,
    toolCalls,
    usage,
    durationMs,
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(fallback === undefined ? {} : { fallback }),
  };
}
