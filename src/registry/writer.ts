// Group commit. Each write runs at once in one open transaction; the COMMIT with its fsync follows when
// the event loop has handled what was ready, and settles all of them. A write that is refused leaves
// nothing of itself and does not touch its neighbours; a COMMIT that fails takes the whole batch back.
// Upholds L1, L8 (listeners are called by the commit), L10 (operations per batch).
//
// No savepoints: SQLite would copy every page a write touches. A write that fails after it has changed
// something is rare, so the batch is rolled back and its other writes are applied again, which gives
// the same rows and values: a write depends on its arguments and the database alone.

import { type Fault, fault } from "../contract/fault.ts";
import { type Connection, column, type Query, query } from "./driver.ts";
import { FlushSchedule } from "./flush-schedule.ts";
import type { WriteHooks } from "./port.ts";
import { storageFault } from "./storage-fault.ts";

/** Writes that share one fsync at most. */
export const OPERATIONS_PER_COMMIT_MAX = 1_024;

/** Places at which the crash suite can end the process. */
export const FAILURE_POINTS = ["afterApply", "beforeCommit", "afterCommit"] as const;

export interface WriterOptions {
  connection: Connection;
  generation: number;
  failurePoint: ((name: string) => void) | undefined;
  onFault: ((fault: Fault) => void) | undefined;
  /** After each durable commit. */
  onCommit: () => void;
}

interface Waiting {
  apply: () => void;
  resolve: () => void;
  reject: (fault: Fault) => void;
}

interface Statements {
  begin: Query;
  commit: Query;
  rollback: Query;
  generation: Query<number>;
  totalChanges: Query<number>;
}

export class Writer {
  commits = 0;
  operations = 0;
  readonly #options: WriterOptions;
  readonly #sql: Statements;
  #batch: Waiting[] = [];
  /** SQLite's count of changed rows after the last write of the batch. */
  #changes = 0;
  readonly #schedule: FlushSchedule;
  #closed: Fault | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#schedule = new FlushSchedule(() => this.flush());
    const { connection } = options;
    this.#sql = {
      begin: query(connection, "BEGIN IMMEDIATE"),
      commit: query(connection, "COMMIT"),
      rollback: query(connection, "ROLLBACK"),
      generation: column<number>(connection, "SELECT generation FROM fence"),
      totalChanges: column<number>(connection, "SELECT total_changes()"),
    };
  }

  /** Applies `apply` now; resolves with its value after the fsync that holds it. Rejects with a Fault. */
  write<Value>(doing: string, apply: () => Value, hooks?: WriteHooks<Value>): Promise<Value> {
    let value: Value;
    try {
      this.#open();
      value = this.#apply(apply);
    } catch (error) {
      return Promise.reject(storageFault(error, doing));
    }
    const written = new Promise<Value>((resolve, reject) => {
      const again = (): void => {
        value = apply();
      };
      this.#batch.push({ apply: again, resolve: () => resolve(value), reject });
    });
    this.operations += 1;
    this.#options.failurePoint?.("afterApply");
    if (hooks?.onApplied) this.#tell(() => hooks.onApplied?.(value));
    if (this.#batch.length >= OPERATIONS_PER_COMMIT_MAX) this.flush();
    return written;
  }

  /** Commits what is open, without waiting for the event loop. */
  flush(): void {
    this.#schedule.done();
    if (!this.#options.connection.inTransaction) return;
    if (this.#batch.length === 0) {
      this.#sql.rollback.run();
      return;
    }
    try {
      this.#options.failurePoint?.("beforeCommit");
      this.#sql.commit.run();
    } catch (error) {
      this.#takeBack(storageFault(error, "committing"));
      return;
    }
    const batch = this.#batch;
    this.#batch = [];
    this.commits += 1;
    this.#options.failurePoint?.("afterCommit");
    for (const waiting of batch) waiting.resolve();
    this.#tell(this.#options.onCommit);
  }

  /** A write that belongs with those already applied is about to come: the commit waits for it, at most HOLD_MS_MAX. */
  hold(): () => void {
    return this.#schedule.hold();
  }

  /** Commits what is open; every later write is refused with `storage_closed`. */
  close(): void {
    this.flush();
    this.#closed ??= fault("storage_closed", "The registry is closed.");
  }

  #open(): void {
    if (this.#closed) throw this.#closed;
    if (this.#options.connection.inTransaction) return;
    this.#begin();
    this.#schedule.opened();
  }

  #begin(): void {
    this.#sql.begin.run();
    this.#changes = this.#sql.totalChanges.get() ?? 0;
    const generation = this.#sql.generation.get();
    if (generation === this.#options.generation) return;
    this.#sql.rollback.run();
    this.#closed = fault("database_locked", "Another gateway has opened this database meanwhile.", {
      details: { generation: generation ?? null, own: this.#options.generation },
    });
    throw this.#closed;
  }

  #apply<Value>(apply: () => Value): Value {
    try {
      const value = apply();
      this.#changes = this.#sql.totalChanges.get() ?? 0;
      return value;
    } catch (error) {
      if (!this.#options.connection.inTransaction) this.#takeBack(storageFault(error, "writing"));
      else if (this.#sql.totalChanges.get() !== this.#changes) this.#applyOthersAgain();
      throw error;
    }
  }

  #applyOthersAgain(): void {
    try {
      this.#sql.rollback.run();
      this.#begin();
      for (const waiting of this.#batch) waiting.apply();
      this.#changes = this.#sql.totalChanges.get() ?? 0;
    } catch (error) {
      this.#takeBack(storageFault(error, "applying a batch again"));
    }
  }

  #takeBack(reason: Fault): void {
    if (this.#options.connection.inTransaction) this.#sql.rollback.run();
    const batch = this.#batch;
    this.#batch = [];
    for (const waiting of batch) waiting.reject(reason);
    this.#tell(() => this.#options.onFault?.(reason));
  }

  /** A listener that throws is the listener's defect: it is reported and harms no write. */
  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.onFault?.(storageFault(error, "calling a listener of the registry"));
    }
  }
}
