// Settings of a measured runtime: the product's defaults, with the limits that people may set raised
// as far as the configuration allows, so that the machine is what limits.

const MIB_BYTES = 1024 * 1024;

/** @param {string} dataDir @param {{ maxConcurrent?: number, offlineDelayMs?: number, defaultModel?: string, models?: object }} changes */
export function benchSettings(dataDir, changes = {}) {
  const swarm = {
    enabled: true,
    maxConcurrent: changes.maxConcurrent ?? 1_000,
    maxChildrenPerGroup: 10_000,
    maxTotalPerGroup: 100_000,
    waitTimeoutSecondsMax: 86_400,
    defaultAgentId: "",
    maxSpawnDepth: 1,
    cancelUnawaited: false,
    archiveAfterMinutes: 60,
  };
  return {
    dataDir,
    gateway: { host: "127.0.0.1", port: 0, allowedHosts: [], allowedOrigins: [] },
    maxConcurrentGlobal: 10_000,
    vmWorkers: 0,
    hotVmsPerWorker: 16,
    defaultModel: changes.defaultModel ?? "bench:now",
    offlineDelayMs: changes.offlineDelayMs ?? 0,
    offlineSlowMs: 0,
    agents: {},
    models: changes.models,
    swarmFor: () => swarm,
    codeMode: {
      enabled: true,
      timeoutMs: 60_000,
      memoryLimitBytes: 256 * MIB_BYTES,
      maxOutputBytes: 10 * MIB_BYTES,
      maxSnapshotBytes: 256 * MIB_BYTES,
      maxPendingToolCalls: 100_000,
      snapshotTtlSeconds: 604_800,
    },
    logLevel: "silent",
  };
}
