// What a program imports, made so that importing it loads nothing: the runtime with its VM, the configuration
// and the models are each loaded by the first call that needs them.

import { createAgency } from "../agency/agency.ts";
import { createAgent, type SoloConfig } from "../agency/agent.ts";
import type { AgencyConfig, AgencyInstance, AgentHandle } from "../agency/config.ts";
import type { AgencyHost, SeatCall } from "../agency/port.ts";
import { type Clock, systemClock } from "../contract/clock.ts";
import type { Json } from "../contract/json.ts";
import type { Settings } from "../contract/settings.ts";
import type { Runtime } from "./api.ts";
import type { RuntimeOptions } from "./open.ts";

/**
 * Opens the data directory and goes on with everything that was not finished.
 * @throws Fault `database_locked`, `database_newer`, `database_damaged`, `native_module_missing`, `storage_io`
 */
export async function openRuntime(settings: Settings, options: RuntimeOptions = {}): Promise<Runtime> {
  return (await import("./open.ts")).openRuntime(settings, options);
}

/** Takes the log lines of agents and agencies; `event` is the line's name. */
export type AgencyLog = (level: "info" | "warn", event: string, details: { [key: string]: Json }) => void;

export interface AgencyHostOptions {
  /** Default: what the environment and the configuration file say, read at the first call. */
  settings?: Settings | undefined;
  /** Default: the logger of `setLoggerFactory`, else warnings go to the console. */
  log?: AgencyLog | undefined;
  clock?: Clock | undefined;
}

/**
 * A host of one's own for `agency()` and `agent()`: its settings, its log. Whoever wants settled calls to survive
 * wraps its `call` and sets `once` (B-001).
 */
export function agencyHost(options: AgencyHostOptions = {}): AgencyHost {
  const { log = usualLog, clock = systemClock } = options;
  let opening: Promise<SeatCall> | undefined;
  const model = (): Promise<SeatCall> => {
    opening ??= openSeatModel(options.settings, clock).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return { clock, log, call: async (request) => (await model())(request) };
}

const usualHost = agencyHost();

/**
 * A team behind the interface of one agent. Models follow from the options, else from the keys in the
 * environment; without any key the offline model answers.
 * @throws AgencyConfigError for a configuration that cannot run
 */
export function agency<Output = unknown>(
  config: AgencyConfig<Output>,
  host: AgencyHost = usualHost,
): AgencyInstance<Output> {
  return createAgency(config, host);
}

/**
 * One agent by itself; it can take a seat in any agency.
 * @throws AgencyConfigError for a configuration that cannot run
 */
export function agent<Output = unknown>(config: SoloConfig, host: AgencyHost = usualHost): AgentHandle<Output> {
  return createAgent(config, host);
}

async function openSeatModel(given: Settings | undefined, clock: Clock): Promise<SeatCall> {
  const settings = given ?? (await import("../config/load.ts")).loadSettings().settings;
  const { createSeatModel } = await import("../models/seat/model.ts");
  return createSeatModel({
    clock,
    settings: settings.models ?? { providers: {}, fallbackProviders: [], progressTimeoutMs: 300_000, prices: {} },
    offline: { delayMs: settings.offlineDelayMs, slowMs: settings.offlineSlowMs },
    defaultModel: settings.defaultModel,
  });
}

/** Makes the logger of one component; agencies ask for the one named `agency`. */
export type LoggerFactory = (component: string) => {
  info?(message: string, details: { [key: string]: Json }): void;
  warn?(message: string, details: { [key: string]: Json }): void;
};

let loggerFactory: LoggerFactory | undefined;

/** Where the log lines of all agents and agencies without a host of their own go from now on. */
export function setLoggerFactory(factory: LoggerFactory | undefined): void {
  loggerFactory = factory;
}

/** Lines hold names, codes and numbers; no text of a prompt, an answer or an error is in them. */
function usualLog(level: "info" | "warn", event: string, details: { [key: string]: Json }): void {
  if (loggerFactory) loggerFactory("agency")[level]?.(event, details);
  else if (level === "warn") console.warn(`[quickswarm] ${event} ${JSON.stringify(details)}`);
}
