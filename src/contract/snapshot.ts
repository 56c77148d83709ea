// A snapshot as every floor but vm sees it: sealed bytes with a little about them.

import type { RunId } from "./ids.ts";

/** One stored link of a run's chain. A chain is a full snapshot followed by zero or more steps. */
export interface SnapshotBlob {
  runId: RunId;
  /** The turn after which it was taken; counts from 1. */
  turn: number;
  /** The turn that `bytes` is a difference to, or null for a full snapshot (difference to the base image). */
  parentTurn: number | null;
  /** Hash of the base image it stands on (engine + controller). */
  imageHash: string;
  /** Header, compressed pages and MAC: opaque outside src/vm. */
  bytes: Uint8Array;
}

/** The memory of a VM right after boot, kept once per engine and controller. */
export interface ImageBlob {
  imageHash: string;
  engineHash: string;
  controllerHash: string;
  /** Compressed; opaque outside src/vm. */
  bytes: Uint8Array;
}
