// `agent()`: one agent by itself, with sessions and totals; it can take a seat in any agency, where it runs as
// it is and inherits nothing.

import { randomHex } from "../contract/clock.ts";
import { newRunId, openLife, sessionOf } from "./agency.ts";
import { checkObject, checkText } from "./checks.ts";
import type { Agent, AgentConfig, AgentHandle, AgentResult, Session, SessionMessage } from "./config.ts";
import { converse, forThisCall } from "./converse.ts";
import { routeFields, SEAT_STEPS_MAX, type SeatTaker, TAKE_SEAT } from "./members.ts";
import { contextFor, type MemoryProvider, observed } from "./memory.ts";
import { type Engine, newTotals, perform, type RunRequest } from "./perform.ts";
import type { AgencyHost, SeatMessage } from "./port.ts";
import { checkMember, resolveTeam } from "./resolve.ts";
import { openSession } from "./session.ts";
import { sequential } from "./strategies/sequential.ts";
import { openStream } from "./stream.ts";
import { readTools } from "./tools.ts";

export interface SoloConfig extends Omit<AgentConfig, "dependsOn" | "retries" | "deadlineMs"> {
  /** Default: `agent`. */
  name?: string | undefined;
  /** Where a failed call goes on; an empty list pins the agent to its provider. */
  fallbackProviders?: readonly string[] | undefined;
  memoryProvider?: MemoryProvider | undefined;
}

/** @throws AgencyConfigError for a configuration that cannot run */
export function createAgent<Output = unknown>(config: SoloConfig, host: AgencyHost): AgentHandle<Output> {
  checkObject(config, "agent()");
  const { name = "agent", fallbackProviders, memoryProvider, ...own } = config;
  checkText(name, "name");
  checkMember(own, "agent()");
  const tools = readTools(config.tools, "tools");
  const life = openLife(async () => {});
  const seat: SeatTaker = {
    async [TAKE_SEAT](run, seatName, input, place) {
      life.check();
      const routed = forThisCall(run, routeFields(own), {}, own);
      const pinned = run.options.fallbackProviders ?? fallbackProviders;
      const context = await contextFor(memoryProvider, run, input, place);
      const system = [config.instructions, context].filter((part) => part !== undefined).join("\n\n");
      const speaker = {
        ...routed,
        route: { ...routed.route, fallbackProviders: pinned },
        name: seatName,
        role: "member" as const,
        system: system === "" ? undefined : system,
        tools,
        maxSteps: config.maxSteps ?? SEAT_STEPS_MAX,
        responseSchema: config.responseSchema,
        history: run.history,
      };
      const result = await converse(run, speaker, input, place);
      await observed(memoryProvider, run, { user: input, assistant: result.text }, place);
      return { ...result, answered: true };
    },
  };
  // The agent is the only member of a team of its own.
  const member: Agent & SeatTaker = { ...seat, generate: (prompt, options) => handle.generate(prompt, options) };
  const team = resolveTeam({ name, agents: { [name]: member } }, () => {});
  const engine: Engine = { team, host, strategy: sequential, newRunId, totals: newTotals() };
  const handle: AgentHandle<Output> & SeatTaker = { ...seat, ...methodsOf<Output>(engine, life) };
  if (config.description !== undefined) handle.description = config.description;
  return handle;
}

function methodsOf<Output>(engine: Engine, life: ReturnType<typeof openLife>) {
  const run = async (request: RunRequest): Promise<AgentResult<Output>> => {
    life.check();
    const { result, durationMs } = await perform(engine, request);
    const [call] = result.agentCalls;
    const { text, usage, provider, model, parsed } = result;
    return {
      text,
      usage,
      toolCalls: call?.toolCalls ?? [],
      durationMs,
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(call?.fallback === undefined ? {} : { fallback: call.fallback }),
      ...(parsed === undefined ? {} : { parsed }),
    };
  };
  const streamOf = (request: () => RunRequest, before: Promise<unknown>) =>
    openStream<AgentResult<Output>>(
      (emit, left) => before.then(() => run({ ...request(), emit, left })),
      () => true,
    );
  const sessions = new Map<string, Session<AgentResult<Output>>>();
  const methods: Omit<AgentHandle<Output>, "description" | "dependsOn"> = {
    generate: (prompt, options = {}) => run({ prompt, options }),
    stream: (prompt, options = {}) => streamOf(() => ({ prompt, options }), Promise.resolve()),
    session: (id = randomHex(8)) =>
      sessionOf(sessions, id, () =>
        openSession(id, {
          generate: (prompt, history, options) => run({ prompt, options, history: history.map(messageOf) }),
          stream: (prompt, history, options, before) =>
            streamOf(() => ({ prompt, options, history: history().map(messageOf) }), before),
        }),
      ),
    usage: async () => ({ ...engine.totals.now }),
    close: life.close,
  };
  return methods;
}

function messageOf({ role, content }: SessionMessage): SeatMessage {
  return role === "user" ? { role, text: content } : { role, text: content, toolCalls: [] };
}
