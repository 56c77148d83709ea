// Reads the runner's ledger back. A place is where something happened in it: in which process, behind
// how many of that process's lines.

import { existsSync, readFileSync } from "node:fs";
import type { Json } from "../../../src/contract/json.ts";

export interface Place {
  incarnation: number;
  line: number;
}

export type LedgerLine = Place &
  (
    | { what: "boot" }
    | { what: "start"; child: string; attempt: number; prompt: string; steps: Json[] }
    | { what: "step"; child: string; attempt: number; step: number }
    | { what: "finish"; child: string; attempt: number; status: string }
    | { what: "abort"; child: string; attempt: number; status: string }
  );

export function readLedger(path: string): LedgerLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LedgerLine);
}

export function isAfter(place: Place, other: Place): boolean {
  return place.incarnation > other.incarnation || (place.incarnation === other.incarnation && place.line > other.line);
}
