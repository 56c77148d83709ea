// What tests of the registry's files share: opening one, looking into one with plain SQLite, and
// programs that run as processes of their own.

import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/contract/clock.ts";
import { type OpenRegistryOptions, openRegistry } from "../../src/registry/open.ts";
import type { Registry } from "../../src/registry/port.ts";

/** Opens a registry that is closed when the test ends. */
export async function openFor(dataDir: string, more: Partial<OpenRegistryOptions> = {}): Promise<Registry> {
  const registry = await openRegistry({ dataDir, clock: systemClock, ...more });
  onTestFinished(() => registry.close());
  return registry;
}

export function databaseOf(dataDir: string): string {
  return join(dataDir, "quickswarm.db");
}

/** Works on a database that no registry has open. */
export function withSqlite<Value>(path: string, work: (database: Database.Database) => Value): Value {
  const database = new Database(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** "ok", or what SQLite finds wrong with the file or its references. */
export function integrityOf(path: string): string {
  return withSqlite(path, (database) => {
    const references = database.pragma("foreign_key_check") as unknown[];
    const pages = String(database.pragma("integrity_check", { simple: true }));
    return references.length === 0 ? pages : `${references.length} broken references`;
  });
}

/** Every file of a folder but the lock's, with the hash of its bytes. */
export function filesOf(dataDir: string): { [name: string]: string } {
  const names = readdirSync(dataDir).filter((name) => !/\.(lock|guard)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, hashOfFile(join(dataDir, name))]));
}

export function hashOfFile(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

export interface Program {
  readonly process: ChildProcess;
  /** The next line it prints as JSON; undefined when it has ended. */
  next(): Promise<{ [key: string]: unknown } | undefined>;
  /** Resolves when it has ended. */
  ended: Promise<unknown>;
}

/** Starts a program of this folder; it is killed when the test ends. */
export function startProgram(name: string, values: string[]): Program {
  const path = fileURLToPath(new URL(`./programs/${name}`, import.meta.url));
  const started = spawn(process.execPath, [path, ...values], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(started, "exit");
  onTestFinished(async () => {
    started.kill("SIGKILL");
    await ended;
  });
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  return {
    process: started,
    ended,
    async next() {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
  };
}
