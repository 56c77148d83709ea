// Types of stage.mjs, which runs uncompiled in processes of its own.

import type { submitRequestSchema } from "../../../src/contract/api.ts";
import type { SwarmEvent } from "../../../src/contract/events.ts";
import type { Json } from "../../../src/contract/json.ts";
import type { Settings } from "../../../src/contract/settings.ts";
import type { openRuntime } from "../../../src/runtime/open.ts";

export interface StageParts {
  openRuntime: typeof openRuntime;
  submitRequestSchema: typeof submitRequestSchema;
  settings: Settings;
  /** Where the clock stands, milliseconds since the epoch. */
  now: number;
  failurePoint?: ((name: string) => void) | undefined;
  /** Called for each attempt that starts. */
  onStart: (childId: string, attempt: number) => void;
}

export interface StandingChild {
  childId: string;
  callId: number;
  prompt: string;
  status: string;
  attempts: number;
}

/** How things stand when nothing moves by itself. */
export interface Standing {
  ended: boolean;
  end: { state: string; result: Json; code: string | null };
  notes: string[];
  children: StandingChild[];
  /** Children that can be settled. */
  open: string[];
  /** When the next sleeper is due, or null. */
  nextDue: number | null;
}

export interface Stage {
  now(): number;
  close(): Promise<void>;
  submit(script: string): Promise<string>;
  settle(childId: string): boolean;
  moveTo(time: number): void;
  quiet(runId: string): Promise<Standing>;
  history(): Promise<SwarmEvent[]>;
}

export function openStage(parts: StageParts): Promise<Stage>;
