// Settings for tests: the product's defaults, in a folder of the test's own.

import type { ModelSettings } from "../../src/contract/model-settings.ts";
import type { Settings, SwarmSettings } from "../../src/contract/settings.ts";
import type { ToolSettings } from "../../src/contract/tool-settings.ts";

export interface SettingsChanges {
  swarm?: Partial<SwarmSettings>;
  codeMode?: Partial<Settings["codeMode"]>;
  agents?: Settings["agents"];
  maxConcurrentGlobal?: number;
  vmWorkers?: number;
  defaultModel?: string;
  offlineDelayMs?: number;
  models?: ModelSettings;
  dialect?: Settings["dialect"];
  tools?: ToolSettings;
}

export function testSettings(dataDir: string, changes: SettingsChanges = {}): Settings {
  const swarm: SwarmSettings = {
    enabled: true,
    maxConcurrent: 8,
    maxChildrenPerGroup: 50,
    maxTotalPerGroup: 200,
    waitTimeoutSecondsMax: 600,
    defaultAgentId: "",
    maxSpawnDepth: 1,
    cancelUnawaited: false,
    archiveAfterMinutes: 60,
    ...changes.swarm,
  };
  return {
    dataDir,
    gateway: { host: "127.0.0.1", port: 0, allowedHosts: [], allowedOrigins: [] },
    maxConcurrentGlobal: changes.maxConcurrentGlobal ?? 64,
    vmWorkers: changes.vmWorkers ?? 1,
    hotVmsPerWorker: 8,
    defaultModel: changes.defaultModel ?? "test:hand",
    offlineDelayMs: changes.offlineDelayMs ?? 0,
    offlineSlowMs: 20,
    agents: changes.agents ?? {},
    models: changes.models,
    dialect: changes.dialect,
    tools: changes.tools,
    swarmFor: () => swarm,
    codeMode: {
      enabled: true,
      timeoutMs: 10_000,
      memoryLimitBytes: 64 * 1024 * 1024,
      maxOutputBytes: 64 * 1024,
      maxSnapshotBytes: 10 * 1024 * 1024,
      maxPendingToolCalls: 10_000,
      snapshotTtlSeconds: 604_800,
      keepHistoryTurns: 0,
      ...changes.codeMode,
    },
    logLevel: "silent",
  };
}
