// Planted defects: the runtime put together from its own parts, with one thing in the registry between
// altered. Each is a mistake that could have been made; the checker has to see every one of them.

/** Name → what is altered: methods that stand before those of the real registry. */
const PLANTS = {
  /** The answers of one turn are handed over in the wrong order. */
  answersBackwards(registry) {
    return {
      undelivered: async (runId, limit, bytesMax) => (await registry.undelivered(runId, limit, bytesMax)).reverse(),
    };
  },
  /** Every fifth completion is answered as stored and is not. */
  losesSettlement(registry) {
    let count = 0;
    return {
      async completeChild(completion, hooks) {
        count += 1;
        if (count % 5 !== 0) return registry.completeChild(completion, hooks);
        return { applied: true, runIds: [] };
      },
    };
  },
  /** A turn counts as committed before its fsync, so that its children start too early. */
  startsBeforeCommit(registry) {
    return {
      commitTurn(commit) {
        const release = registry.hold();
        return new Promise((resolve, reject) => {
          registry.commitTurn(commit, { onApplied: resolve }).catch(reject).finally(release);
        });
      },
    };
  },
  /** Every claim says that it is the first attempt. */
  forgetsAttempt(registry) {
    return {
      async claimChildren(childIds, at, hooks) {
        const rows = await registry.claimChildren(childIds, at, hooks);
        return rows.map((row) => ({ ...row, record: { ...row.record, attempts: 1 } }));
      },
    };
  },
  /** A submit that is repeated because its acknowledgement was lost makes a second run. */
  forgetsKey(registry) {
    return { createRun: (run) => registry.createRun({ ...run, idempotencyKey: undefined }) };
  },
  /** Children that have ended are put in line again at start. */
  rerunsEnded(registry) {
    const all = { limit: 1_000 };
    const operator = { sessionKey: "operator", all: true };
    const ended = async () => (await registry.children(operator, { status: "done" }, all)).rows;
    return {
      async queuedChildren(ticket, limit, rootId) {
        const rows = await registry.queuedChildren(ticket, limit, rootId);
        if (ticket !== 0 || rootId !== undefined) return rows;
        const again = (await ended()).map(({ runId }) => registry.childForRun(runId));
        return [...rows, ...(await Promise.all(again))];
      },
      async claimChildren(childIds, at, hooks) {
        const rows = await registry.claimChildren(childIds, at, hooks);
        const again = (await ended()).filter(({ runId }) => childIds.includes(runId));
        return [...rows, ...(await Promise.all(again.map(({ runId }) => registry.childForRun(runId))))];
      },
    };
  },
};

/** As openRuntime, with the plant's registry in between. */
export async function openPlanted(config, settings, options) {
  const load = (path) => import(new URL(path, config.dist));
  const [{ openRegistry }, { openGuestHost }, { Swarm }, { Notifier }, { GatewayRuntime }] = await Promise.all([
    load("registry/open.js"),
    load("bridge/host.js"),
    load("swarm/swarm.js"),
    load("swarm/notifier.js"),
    load("runtime/runtime.js"),
  ]);
  const [{ policyOf }, { snapshotKey }, { StorageHealth }, { openTools }, { Validator }] = await Promise.all([
    load("runtime/policy.js"),
    load("runtime/snapshot-key.js"),
    load("runtime/storage-health.js"),
    load("runtime/tools.js"),
    load("models/schema/validator.js"),
  ]);
  const { clock, runners, failurePoint = () => {}, log = () => {} } = options;
  const macKey = snapshotKey(settings.dataDir);
  const real = await openRegistry({ dataDir: settings.dataDir, clock, failurePoint });
  const registry = { ...real, ...PLANTS[config.plant](real) };
  const guest = await openGuestHost({
    macKey,
    workerCount: settings.vmWorkers,
    hotVmsPerWorker: settings.hotVmsPerWorker,
    image: (imageHash) => registry.image(imageHash),
    clock,
  });
  await registry.putImage(guest.baseImage, clock.now());
  const tools = openTools({ settings, clock, log, validator: new Validator(), tools: undefined });
  const [policy, notifier, storage] = [policyOf(settings), new Notifier(), new StorageHealth()];
  const swarm = new Swarm({ registry, guest, runners, policy, clock, notifier, log, failurePoint, tools });
  const recovery = await swarm.recover();
  return new GatewayRuntime({ settings, registry, guest, swarm, clock, recovery, storage, tools });
}
