// Settings of the process that is killed: the product's defaults with small lanes, so that children queue.

const MIB_BYTES = 1024 * 1024;

/** @param {string} dataDir @param {{ swarm?: object, codeMode?: object, maxConcurrentGlobal?: number }} changes */
export function hostSettings(dataDir, changes = {}) {
  const swarm = {
    enabled: true,
    maxConcurrent: 3,
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
    maxConcurrentGlobal: changes.maxConcurrentGlobal ?? 8,
    vmWorkers: 1,
    hotVmsPerWorker: 4,
    defaultModel: "test:scripted",
    offlineDelayMs: 0,
    offlineSlowMs: 0,
    agents: {},
    swarmFor: () => swarm,
    codeMode: {
      enabled: true,
      timeoutMs: 60_000,
      memoryLimitBytes: 64 * MIB_BYTES,
      maxOutputBytes: MIB_BYTES,
      maxSnapshotBytes: 10 * MIB_BYTES,
      maxPendingToolCalls: 40,
      snapshotTtlSeconds: 604_800,
      ...changes.codeMode,
    },
    logLevel: "silent",
  };
}
