// `agency()`: a team behind the interface of one agent. What it keeps is its totals and its sessions;
// everything of a run is in the run.

import { randomHex } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import type { AgencyConfig, AgencyInstance, AgencyResult, Agent, GenerateOptions, Session } from "./config.ts";
import { exportOf } from "./export.ts";
import { type SeatTaker, TAKE_SEAT } from "./members.ts";
import type { StreamPart } from "./parts.ts";
import { type Engine, newTotals, perform, type RunRequest } from "./perform.ts";
import type { AgencyHost } from "./port.ts";
import { resolveTeam } from "./resolve.ts";
import { openSession, promptWith } from "./session.ts";
import { STRATEGIES } from "./strategies/all.ts";
import { openStream } from "./stream.ts";
import type { Team } from "./team.ts";

/** Open sessions of one agent or agency. */
export const SESSIONS_COUNT_MAX = 10_000;

/**
 * Builds a team over `host`.
 * @throws AgencyConfigError for a configuration that cannot run
 */
export function createAgency<Output>(config: AgencyConfig<Output>, host: AgencyHost): AgencyInstance<Output> {
  const team = resolveTeam(config as AgencyConfig<never>, (event, details) => host.log("warn", event, details));
  const engine: Engine = { team, host, strategy: STRATEGIES[team.strategy], newRunId, totals: newTotals() };
  const life = openLife(() => closeMembers(team));
  const run = async (request: RunRequest): Promise<AgencyResult<Output>> => {
    life.check();
    return (await perform(engine, request)).result as unknown as AgencyResult<Output>;
  };
  const streamOf = (request: () => RunRequest, before: Promise<unknown>) =>
    openStream<AgencyResult<Output>>(
      (emit, left) => before.then(() => run({ ...request(), emit, left })),
      (part) => isLive(team, part),
    );
  const sessions = new Map<string, Session<AgencyResult<Output>>>();
  const instance: AgencyInstance<Output> & SeatTaker = {
    name: team.name,
    strategy: team.strategy,
    generate: (prompt, options = {}) => run({ prompt, options }),
    stream: (prompt, options = {}) => streamOf(() => ({ prompt, options }), Promise.resolve()),
    session: (id = randomHex(8)) =>
      sessionOf(sessions, id, () =>
        openSession(id, {
          generate: (text, history, options) => run({ prompt: promptWith(history, text), options }),
          stream: (text, history, options, before) =>
            streamOf(() => ({ prompt: promptWith(history(), text), options }), before),
        }),
      ),
    export: () => exportOf(team),
    exportJSON: () => JSON.stringify(exportOf(team), null, 2),
    usage: async () => ({ ...engine.totals.now }),
    close: life.close,
    async [TAKE_SEAT](parent, name, input, place) {
      life.check();
      const emit = parent.isStream
        ? (part: StreamPart) => relay(team, part, parent.emit.bind(parent), name)
        : undefined;
      const nested = { prompt: input, options: withoutOwn(parent.options), emit, parent: { run: parent, ...place } };
      // Inside another run, this one works over that run's host, so that one store holds all of its calls.
      const inner: Engine = { ...engine, host: parent.host };
      const { result, isAnswered, durationMs } = await perform(inner, nested);
      const { text, usage, provider, model, parsed } = result;
      return { text, usage, provider, model, parsed, toolCalls: [], durationMs, answered: isAnswered };
    },
  };
  return instance;
}

export function newRunId(): string {
  return `agn_${randomHex(16)}`;
}

export function sessionOf<Value>(sessions: Map<string, Value>, id: string, open: () => Value): Value {
  const known = sessions.get(id);
  if (known) return known;
  if (sessions.size >= SESSIONS_COUNT_MAX) {
    throw fault("overloaded", `There are ${SESSIONS_COUNT_MAX} sessions open; close the agent, or use fewer ids.`);
  }
  const opened = open();
  sessions.set(id, opened);
  return opened;
}

/** Open until it is closed, once. */
export function openLife(close: () => Promise<void>) {
  let closing: Promise<void> | undefined;
  return {
    check: (): void => {
      if (closing) throw fault("wrong_state", "It is closed.", { next: "Make a new one, or close it later." });
    },
    close: (): Promise<void> => {
      closing ??= close();
      return closing;
    },
  };
}

/** those that were built before; nested agencies close theirs. */
async function closeMembers(team: Team): Promise<void> {
  const agents = team.members.flatMap(({ seat }): Agent[] => (seat.kind === "built" ? [seat.agent] : []));
  const closed = await Promise.allSettled(agents.map(async (agent) => agent.close?.()));
  const failed = closed.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Members that work at once would speak into one another, so then only the chair is heard live. */
function isLive(team: Team, part: StreamPart & { type: "text" }): boolean {
  return part.from === "chair" || !CHAIR_ALONE.has(team.strategy);
}

const CHAIR_ALONE: ReadonlySet<string> = new Set(["parallel", "hierarchical"]);

/** What a nested team says is said by its seat; the rest of it stays inside. */
function relay(team: Team, part: StreamPart, emit: (part: StreamPart) => void, agent: string): void {
  if (part.type === "text" && isLive(team, part)) emit({ type: "text", agent, text: part.text, from: "member" });
}

function withoutOwn({ abortSignal: _, runId: __, ...options }: GenerateOptions): GenerateOptions {
  return options;
}
