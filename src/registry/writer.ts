// Group commit. Each write runs at once, in a savepoint of one open transaction; the COMMIT with its
// fsync follows when the event loop has handled what was ready, and settles all of them. A write that
// is refused leaves nothing of itself and does not touch its neighbours; a COMMIT that fails takes the
// whole batch back. Upholds L1, L8 (listeners are called by the commit), L10 (operations per batch).

import { type Fault, fault } from "../contract/fault.ts";
import { type Connection, column, type Query, query } from "./driver.ts";
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
  /** After each durable commit, before its promises are settled. */
  onCommit: () => void;
}

interface Waiting {
  resolve: () => void;
  reject: (fault: Fault) => void;
}

interface Statements {
  begin: Query;
  commit: Query;
  rollback: Query;
  savepoint: Query;
  release: Query;
  undo: Query;
  generation: Query<number>;
}

export class Writer {
  commits = 0;
  operations = 0;
  readonly #options: WriterOptions;
  readonly #sql: Statements;
  #batch: Waiting[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #closed: Fault | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { connection } = options;
    this.#sql = {
      begin: query(connection, "BEGIN IMMEDIATE"),
      commit: query(connection, "COMMIT"),
      rollback: query(connection, "ROLLBACK"),
      savepoint: query(connection, "SAVEPOINT operation"),
      release: query(connection, "RELEASE operation"),
      undo: query(connection, "ROLLBACK TO operation"),
      generation: column<number>(connection, "SELECT generation FROM fence"),
    };
  }

  /** Applies `apply` now; resolves with its value after the fsync that holds it. Rejects with a Fault. */
  write<Value>(doing: string, apply: () => Value, hooks?: WriteHooks<Value>): Promise<Value> {
    let value: Value;
    try {
      if (this.#closed) throw this.#closed;
      value = this.#apply(apply);
    } catch (error) {
      return Promise.reject(storageFault(error, doing));
    }
    const written = new Promise<Value>((resolve, reject) => {
      this.#batch.push({ resolve: () => resolve(value), reject });
    });
    this.operations += 1;
    this.#options.failurePoint?.("afterApply");
    this.#tell(() => hooks?.onApplied?.(value));
    if (this.#batch.length >= OPERATIONS_PER_COMMIT_MAX) this.flush();
    return written;
  }

  /** Commits what is open, without waiting for the event loop. */
  flush(): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    if (!this.#options.connection.inTransaction) return;
    const batch = this.#batch;
    try {
      this.#options.failurePoint?.("beforeCommit");
      this.#sql.commit.run();
    } catch (error) {
      this.#takeBack(storageFault(error, "committing"));
      return;
    }
    this.#batch = [];
    if (batch.length > 0) this.commits += 1;
    this.#options.failurePoint?.("afterCommit");
    for (const waiting of batch) waiting.resolve();
    this.#tell(this.#options.onCommit);
  }

  /** Commits what is open; every later write is refused with `storage_closed`. */
  close(): void {
    this.flush();
    this.#closed ??= fault("storage_closed", "The registry is closed");
  }

  #apply<Value>(apply: () => Value): Value {
    const { connection } = this.#options;
    if (!connection.inTransaction) this.#begin();
    let value: Value;
    try {
      this.#sql.savepoint.run();
      value = apply();
      this.#sql.release.run();
    } catch (error) {
      this.#undo(error);
      throw error;
    }
    return value;
  }

  #begin(): void {
    this.#sql.begin.run();
    const generation = this.#sql.generation.get();
    if (generation !== this.#options.generation) {
      this.#sql.rollback.run();
      this.#closed = fault("database_locked", "Another gateway has opened this database meanwhile", {
        details: { generation: generation ?? null, own: this.#options.generation },
      });
      throw this.#closed;
    }
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Takes one write back; when SQLite has ended the whole transaction by itself, the batch goes with it. */
  #undo(error: unknown): void {
    if (this.#options.connection.inTransaction) {
      try {
        this.#sql.undo.run();
        this.#sql.release.run();
        return;
      } catch (second) {
        this.#takeBack(storageFault(second, "taking a write back"));
        return;
      }
    }
    this.#takeBack(storageFault(error, "writing"));
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
