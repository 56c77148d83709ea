// What a stored snapshot is when it is opened: the guest's whole linear memory, where bytes can be searched that
// compression hides in the file. Only while the gateway is down.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { MIB_BYTES } from "../../../src/contract/limits.ts";
import type { ImageBlob, SnapshotBlob } from "../../../src/contract/snapshot.ts";
import { unpackImage } from "../../../src/vm/base-image.ts";
import { loadEngine } from "../../../src/vm/engine.ts";
import { GuestVm } from "../../../src/vm/guest-vm.ts";
import { macKeyOf } from "../../../src/vm/record.ts";
import { InstanceShelf } from "../../../src/vm/shelf.ts";

const MEMORY_BYTES_MAX = 64 * MIB_BYTES;

/** The memory of every run that has snapshots in this data directory, as its newest one restores it. */
export async function storedMemories(dataDir: string): Promise<Map<string, Buffer>> {
  const database = new Database(join(dataDir, "quickswarm.db"), { readonly: true });
  try {
    const memories = new Map<string, Buffer>();
    for (const { runId, n } of newestSnapshots(database)) {
      memories.set(runId, await memoryOf(dataDir, database, runId, n));
    }
    return memories;
  } finally {
    database.close();
  }
}

async function memoryOf(dataDir: string, database: Database.Database, runId: string, n: number): Promise<Buffer> {
  const engine = loadEngine();
  const macKey = macKeyOf(readFileSync(join(dataDir, "snapshot.key")));
  const chain = chainOf(database, runId, n);
  const last = chain.at(-1);
  if (!last) throw new RangeError(`${runId} has no snapshot`);
  const image = unpackImage(engine, imageOf(database, last.imageHash));
  const maker = { engine, macKey, shelf: new InstanceShelf(engine) };
  const vm = await GuestVm.restore(maker, image, { runId, turn: last.turn }, chain, MEMORY_BYTES_MAX);
  return vm.instance.memory.bytes;
}

function newestSnapshots(database: Database.Database): { runId: string; n: number }[] {
  const query = "SELECT run_id AS runId, snapshot_n AS n FROM runs WHERE snapshot_n IS NOT NULL AND ended_at IS NULL";
  return database.prepare(query).all() as { runId: string; n: number }[];
}

/** Oldest first, as a restore takes it. */
function chainOf(database: Database.Database, runId: string, newest: number): SnapshotBlob[] {
  const query = "SELECT turn, parent_turn, previous_n, image_hash, bytes FROM snapshots WHERE n = ?";
  const chain: SnapshotBlob[] = [];
  for (let n: number | null = newest; n !== null; ) {
    const row = database.prepare(query).get(n) as SnapshotRow;
    const { turn, parent_turn: parentTurn, image_hash: imageHash, bytes } = row;
    chain.unshift({ runId: runId as SnapshotBlob["runId"], turn, parentTurn, imageHash, bytes });
    n = parentTurn === null ? null : row.previous_n;
  }
  return chain;
}

interface SnapshotRow {
  turn: number;
  parent_turn: number | null;
  previous_n: number | null;
  image_hash: string;
  bytes: Buffer;
}

function imageOf(database: Database.Database, imageHash: string): ImageBlob {
  const query = `SELECT image_hash AS imageHash, engine_hash AS engineHash, controller_hash AS controllerHash, bytes
    FROM images WHERE image_hash = ?`;
  return database.prepare(query).get(imageHash) as ImageBlob;
}
