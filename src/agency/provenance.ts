// The trail of one run, kept in memory and given with its result: what happened, in order, on request
// as a chain of SHA-256 hashes, each over the entry and the hash before it.

import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "../contract/json.ts";

/** Most entries of one trail; the rest is counted in its last one. */
export const TRAIL_ENTRIES_MAX = 10_000;

export interface ProvenanceConfig {
  enabled?: boolean | undefined;
  hashChain?: boolean | undefined;
  /** Kinds that are set to false are left out. */
  record?: { readonly [kind: string]: boolean } | undefined;
  /** Accepted and not read: nothing is written anywhere. */
  export?: unknown;
}

export interface TrailEntry {
  /** From 0. */
  index: number;
  kind: string;
  timestamp: number;
  data: { [key: string]: Json };
  /** Of the entry before; with `hashChain` only. The first one names 64 zeros. */
  previousHash?: string;
  hash?: string;
}

export interface Trail {
  record(kind: string, data: { [key: string]: Json }): void;
  entries(): TrailEntry[];
}

const NO_HASH = "0".repeat(64);

/** Undefined: nothing is to be recorded. */
export function trailFor(config: ProvenanceConfig | undefined, now: () => number): Trail | undefined {
  if (!config?.enabled) return undefined;
  const entries: TrailEntry[] = [];
  return {
    record(kind, data) {
      if (config.record && Object.hasOwn(config.record, kind) && config.record[kind] === false) return;
      if (entries.length >= TRAIL_ENTRIES_MAX) return;
      const entry: TrailEntry = { index: entries.length, kind, timestamp: now(), data };
      if (config.hashChain) {
        entry.previousHash = entries.at(-1)?.hash ?? NO_HASH;
        entry.hash = hashOf(entry);
      }
      entries.push(entry);
    },
    entries: () => entries.map((entry) => ({ ...entry })),
  };
}

function hashOf({ index, kind, timestamp, data, previousHash = NO_HASH }: TrailEntry): string {
  return createHash("sha256").update(canonicalJson({ index, kind, timestamp, data, previousHash })).digest("hex");
}
