// The floor that durable work is held against: one better-sqlite3 transaction with one row of about
// 500 bytes, with the pragmas of the registry's own writer, ended by its fsync. Nothing that promises
// to keep a step can be faster than this; the ratios of the table divide by it.

import { join } from "node:path";
import Database from "better-sqlite3";
import { median } from "./stats.mjs";

const ROW_CHARS = 500;
const WARM_UP_STEPS = 50;

/** A database of its own in `dir`, on the same file system as what is measured. */
export function openFloor(dir) {
  const database = new Database(join(dir, "floor.db"));
  for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "wal_autocheckpoint = 4000"]) {
    database.pragma(pragma);
  }
  database.exec("CREATE TABLE IF NOT EXISTS steps (n INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
  const insert = database.prepare("INSERT INTO steps (body) VALUES (?)");
  const body = "x".repeat(ROW_CHARS);
  const step = database.transaction(() => insert.run(body)).immediate;
  for (let index = 0; index < WARM_UP_STEPS; index += 1) step();
  return {
    /** Milliseconds of one transaction. */
    once() {
      const startedAt = performance.now();
      step();
      return performance.now() - startedAt;
    },
    /** Milliseconds of one of `count` transactions in a row, as their median: a stall of the disk is not the floor. */
    median(count) {
      return median(Array.from({ length: count }, () => this.once()));
    },
    close: () => database.close(),
  };
}

/** The floor of moving memory: milliseconds to copy `bytes` bytes once, the median of some copies. */
export function copyMs(bytes) {
  const source = Buffer.alloc(bytes, 1);
  const target = Buffer.alloc(bytes);
  const samples = [];
  for (let index = 0; index < 15; index += 1) {
    const startedAt = performance.now();
    source.copy(target);
    samples.push(performance.now() - startedAt);
  }
  return median(samples);
}
