// One gateway process's insides: opens the memory and the sealed rooms, recovers what was going on,
// and shuts down in the reverse order (L7).

import { openGuestHost } from "../bridge/host.ts";
import { type Clock, systemClock } from "../contract/clock.ts";
import type { Fault } from "../contract/fault.ts";
import type { Settings } from "../contract/settings.ts";
import { createOfflineModel } from "../models/offline/model.ts";
import { createModelRunner } from "../models/runner.ts";
import { Validator } from "../models/schema/validator.ts";
import { openRegistry } from "../registry/open.ts";
import type { SwarmContext, SwarmLog } from "../swarm/context.ts";
import { Notifier } from "../swarm/notifier.ts";
import type { ChildRunner } from "../swarm/runner.ts";
import type { WorkScope } from "../swarm/scope.ts";
import { NOTHING_RECOVERED, Swarm } from "../swarm/swarm.ts";
import type { ToolHost } from "../tools/host.ts";
import type { HostTool } from "../tools/host-tool.ts";
import type { Runtime } from "./api.ts";
import { policyOf } from "./policy.ts";
import { GatewayRuntime } from "./runtime.ts";
import { holdKeyTo, snapshotKey } from "./snapshot-key.ts";
import { StorageHealth } from "./storage-health.ts";
import { openTools } from "./tools.ts";
import { vmWorkerCount } from "./workers.ts";

export type { ChildOutcome, ChildRunner, ChildWork } from "../swarm/runner.ts";
export type { WorkScope } from "../swarm/scope.ts";
export type { HostTool, HostToolCall } from "../tools/host-tool.ts";

export interface RuntimeOptions {
  /** Default: the machine's clock. */
  clock?: Clock | undefined;
  log?: SwarmLog | undefined;
  /**
   * `all` (the default) goes on with everything; `own` with what is submitted, resumed or waited for here;
   * `none` only looks: no turn and no child starts.
   */
  work?: WorkScope | undefined;
  /** Runners asked before the built-in ones. */
  runners?: ChildRunner[] | undefined;
  /** Functions that children and scripts may call as `host.<name>`. */
  tools?: HostTool[] | undefined;
  /** Called at each named failure point; the crash suite ends the process there. */
  failurePoint?: ((name: string) => void) | undefined;
}

/**
 * Opens the data directory and goes on with everything that was not finished.
 * @throws Fault `database_locked`, `database_newer`, `database_damaged`, `native_module_missing`, `storage_io`
 */
export async function openRuntime(settings: Settings, options: RuntimeOptions = {}): Promise<Runtime> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? (() => {});
  const macKey = snapshotKey(settings.dataDir);
  const storage = new StorageHealth();
  const validator = new Validator();
  const tools = openTools({ settings, clock, log, validator, tools: options.tools });
  const onFault = (trouble: Fault): void => {
    storage.failed(trouble.code);
    log("warn", "storage took a batch of writes back", { code: trouble.code });
  };
  const registry = await openRegistry({
    dataDir: settings.dataDir,
    clock,
    onFault,
    failurePoint: options.failurePoint,
  });
  storage.watch(() => registry.counters().commits);
  try {
    if (options.work !== "none") await holdKeyTo(registry, macKey, clock.now());
    const guest = await openGuestHost({
      macKey,
      workerCount: vmWorkerCount(settings.vmWorkers),
      hotVmsPerWorker: settings.hotVmsPerWorker,
      image: (imageHash) => registry.image(imageHash),
      clock,
    });
    try {
      await registry.putImage(guest.baseImage, clock.now());
      const runners = [...(options.runners ?? []), ...builtInRunners({ settings, clock, tools, validator })];
      const failurePoint = options.failurePoint ?? (() => {});
      const context: SwarmContext = {
        registry,
        guest,
        runners,
        policy: policyOf(settings),
        clock,
        notifier: new Notifier(),
        log,
        failurePoint,
        tools,
      };
      const swarm = new Swarm(context, options.work);
      const recovery = options.work === "none" ? NOTHING_RECOVERED : await swarm.recover();
      return new GatewayRuntime({ settings, registry, guest, swarm, clock, recovery, storage, tools });
    } catch (error) {
      await guest.close();
      throw error;
    }
  } catch (error) {
    await registry.close();
    throw error;
  }
}

interface RunnerParts {
  settings: Settings;
  clock: Clock;
  tools: ToolHost;
  validator: Validator;
}

/** Asked in this order: the model runner takes every name that the offline models leave. */
function builtInRunners({ settings, clock, tools, validator }: RunnerParts): ChildRunner[] {
  const offline = createOfflineModel({ clock, delayMs: settings.offlineDelayMs, slowMs: settings.offlineSlowMs });
  if (!settings.models) return [offline];
  const agent = (agentId: string) => (Object.hasOwn(settings.agents, agentId) ? settings.agents[agentId] : undefined);
  return [offline, createModelRunner({ clock, settings: settings.models, agent, tools, validator })];
}
