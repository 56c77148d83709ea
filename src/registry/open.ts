// Opens the memory of one data directory: lock, file, migrations, connections; then it accepts work.
// Upholds L7 (close ends what was opened), R-009, R-010.

import { mkdirSync } from "node:fs";
import type { Clock } from "../contract/clock.ts";
import { type Fault, fault } from "../contract/fault.ts";
import { prepareArchiver } from "./archive.ts";
import { backupTo } from "./backup.ts";
import { prepareDatabase } from "./database-file.ts";
import { type Connection, column, type Driver, loadDriver, openReader, openWriter, query } from "./driver.ts";
import { prepareInbox } from "./inbox.ts";
import { type DirectoryLock, lockDirectory } from "./lock.ts";
import { applyMigrations, pendingMigrations } from "./migrations.ts";
import { peopleMethods } from "./people.ts";
import { preparePeopleReaders } from "./people-readers.ts";
import type { Registry } from "./port.ts";
import { prepareReaders } from "./readers.ts";
import {
  childMethods,
  type Engine,
  forkMethods,
  keepingMethods,
  readMethods,
  runMethods,
  spendingMethods,
  type TurnReads,
} from "./registry.ts";
import { SELECT_CHILD, SELECT_RUN } from "./rows.ts";
import { MIGRATIONS, type Migration } from "./schema.ts";
import { storageFault } from "./storage-fault.ts";
import { prepareStore } from "./store.ts";
import { Writer } from "./writer.ts";

export { FAILURE_POINTS } from "./writer.ts";

export interface OpenRegistryOptions {
  /** Made with mode 0700 when it does not exist. */
  dataDir: string;
  clock: Clock;
  /** How a second opener is told who holds the directory. */
  owner?: string | undefined;
  /** A batch of writes was taken back, or a listener threw. Writes go on being accepted. */
  onFault?: ((fault: Fault) => void) | undefined;
  /** Called at each of FAILURE_POINTS, for the crash suite. */
  failurePoint?: ((name: string) => void) | undefined;
  /** Bound of the database file in pages of 4 KiB; more is refused with `storage_full`. */
  pagesMax?: number | undefined;
  /** Replaced in tests of upgrades only. */
  migrations?: readonly Migration[] | undefined;
}

/**
 * Throws `native_module_missing`, `database_locked`, `database_newer`, `database_damaged`,
 * `storage_full`, `storage_io`.
 */
export async function openRegistry(options: OpenRegistryOptions): Promise<Registry> {
  const driver = await loadDriver();
  const lock = attempt("opening the data directory", () => {
    mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
    return lockDirectory(driver, options.dataDir, options.owner ?? "quickswarm", options.clock.now());
  });
  let writerConnection: Connection | undefined;
  try {
    return attempt("opening the database", () => {
      const path = prepareDatabase(driver, options.dataDir, options.migrations ?? MIGRATIONS, options.clock.now());
      writerConnection = openWriter(driver, path, options.pagesMax);
      upgrade(writerConnection, options);
      return assemble(options, { driver, lock, path, writer: writerConnection, reader: openReader(driver, path) });
    });
  } catch (error) {
    writerConnection?.close();
    lock.release();
    throw error;
  }
}

function attempt<Value>(doing: string, run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw storageFault(error, doing);
  }
}

function upgrade(connection: Connection, options: OpenRegistryOptions): void {
  const pending = pendingMigrations(connection, options.migrations ?? MIGRATIONS);
  if (pending.length === 0) return;
  applyMigrations(connection, pending, options.clock.now());
  // The version must stand in the file itself: an older program reads it there before it opens anything.
  connection.pragma("wal_checkpoint(TRUNCATE)");
}

interface Opened {
  driver: Driver;
  lock: DirectoryLock;
  path: string;
  writer: Connection;
  reader: Connection;
}

function assemble(options: OpenRegistryOptions, opened: Opened): Registry {
  const store = prepareStore(opened.writer);
  const listeners = new Set<(lastSeq: number) => void>();
  let told = store.lastEventSeq.get() ?? 0;
  const writer = new Writer({
    connection: opened.writer,
    generation: nextGeneration(opened.writer),
    failurePoint: options.failurePoint,
    onFault: options.onFault,
    onCommit() {
      const lastSeq = store.lastEventSeq.get() ?? 0;
      if (lastSeq <= told) return;
      told = lastSeq;
      for (const listener of [...listeners]) listener(lastSeq);
    },
  });
  const ending = new Ending(opened, writer);
  const engine: Engine = {
    store,
    writer,
    reads: prepareTurnReads(opened.writer),
    readers: prepareReaders(opened.reader),
    people: preparePeopleReaders(opened.reader),
    archiver: prepareArchiver(opened.writer),
    read: (doing, run) => ending.read(doing, run),
    counters: { staleSettlements: 0 },
  };
  return {
    ...runMethods(engine),
    ...childMethods(engine),
    ...keepingMethods(engine),
    ...spendingMethods(engine),
    ...readMethods(engine),
    ...peopleMethods(engine),
    ...forkMethods(engine),
    backup: (targetPath) => ending.backup(targetPath),
    close: () => ending.close(),
    onEvents(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    counters: () => ({
      staleSettlements: engine.counters.staleSettlements,
      commits: writer.commits,
      operations: writer.operations,
    }),
  };
}

/**
 * Fences off whoever had this database before: its next write finds another number and is refused. In a
 * transaction of its own, since a lone statement gives its row even when the commit behind it has failed,
 * and a number that is not stored would fence off this very process.
 */
function nextGeneration(connection: Connection): number {
  const next = column<number>(connection, "UPDATE fence SET generation = generation + 1 RETURNING generation");
  return connection.transaction(() => next.get() ?? 0).immediate();
}

function prepareTurnReads(db: Connection): TurnReads {
  const input = `, i.file_name AS fileName, code.body AS code, source.body AS sourceText, i.args, i.agent_id AS agentId,
    i.limits FROM runs r`;
  const texts = "JOIN sources code ON code.n = i.code_n JOIN sources source ON source.n = i.source_n";
  return {
    inbox: prepareInbox(db),
    runByNumber: query(db, `${SELECT_RUN} WHERE r.n = ?`),
    runForTurn: query(db, `${SELECT_RUN.replace(/\s+FROM runs r/, input)} ${texts} WHERE r.run_id = ?`),
    childByNumber: query(db, `${SELECT_CHILD} WHERE c.n = ?`),
    childById: query(db, `${SELECT_CHILD} WHERE c.child_id = ?`),
    queuedChildren: query(
      db,
      `${SELECT_CHILD} WHERE c.status = 'queued' AND o.follows_n IS NULL AND c.n > ? ORDER BY c.n LIMIT ?`,
    ),
    image: query(
      db,
      `SELECT image_hash AS imageHash, engine_hash AS engineHash, controller_hash AS controllerHash, bytes
       FROM images WHERE image_hash = ?`,
    ),
    setting: column<string>(db, "SELECT value FROM settings WHERE name = ?"),
    putImage: query(
      db,
      `INSERT INTO images (image_hash, engine_hash, controller_hash, created_at, bytes) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (image_hash) DO NOTHING`,
    ),
    putSetting: query(
      db,
      `INSERT INTO settings (name, value, updated_at) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    ),
  };
}

/** Owns the end: backups are stopped, what is open is committed, connections and lock are let go, once. */
class Ending {
  readonly #opened: Opened;
  readonly #writer: Writer;
  readonly #backups = new Set<Promise<number>>();
  #closing: Promise<void> | undefined;

  constructor(opened: Opened, writer: Writer) {
    this.#opened = opened;
    this.#writer = writer;
  }

  async read<Value>(doing: string, run: () => Value): Promise<Value> {
    this.mustBeOpen();
    return attempt(doing, run);
  }

  mustBeOpen(): void {
    if (this.#closing) throw fault("storage_closed", "The registry is closed.");
  }

  async backup(targetPath: string): Promise<number> {
    const { driver, path } = this.#opened;
    this.mustBeOpen();
    const copying = backupTo(driver, path, targetPath, () => this.#closing !== undefined);
    this.#backups.add(copying);
    try {
      return await copying;
    } finally {
      this.#backups.delete(copying);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#writer.close();
    await Promise.allSettled(this.#backups);
    this.#opened.reader.close();
    this.#opened.writer.close();
    this.#opened.lock.release();
  }
}
