// The host's callbacks. Each is read from `on` when its event fires and never before, and none can
// fail or change a run.

import { fault } from "../contract/fault.ts";
import { namedError } from "./errors.ts";
import type { AgencyHost } from "./port.ts";

export interface EventPayloads {
  agentStart: { agent: string; input: string; timestamp: number };
  agentEnd: { agent: string; output: string; durationMs: number; timestamp: number };
  guardrailResult: {
    agent: string;
    guardrailId: string;
    stage: "input" | "output";
    passed: boolean;
    enforced: boolean;
    action: "allow";
    timestamp: number;
  };
  emergentForge: {
    agentName: string;
    instructions: string;
    approved: boolean;
    justification?: string | undefined;
    reason?: string | undefined;
    timestamp: number;
  };
  approvalRequested: {
    id: string;
    type: string;
    agent: string;
    action: string;
    description: string;
    timestamp: number;
  };
  approvalDecided: { requestId: string; approved: boolean; reason?: string | undefined; timestamp: number };
  limitReached: { metric: string; value: number; limit: number; timestamp: number };
  error: { agent: string; error: Error; timestamp: number };
}

export type EventName = keyof EventPayloads;

export type AgencyEvents = { [Name in EventName]?: ((event: EventPayloads[Name]) => unknown) | undefined };

export type Fire = <Name extends EventName>(name: Name, event: Omit<EventPayloads[Name], "timestamp">) => void;

/** Fires events on `on`, an object of the host's that is read only then. */
export function callbacksOf(on: AgencyEvents | undefined, host: AgencyHost): Fire {
  return (name, event) => {
    const threw = (error: unknown): void => {
      host.log("warn", "agency_callback_threw", { callback: name, error: namedError(error) });
    };
    try {
      const callback = on?.[name] as ((event: unknown) => unknown) | undefined;
      if (typeof callback !== "function") return;
      const returned = callback.call(on, { ...event, timestamp: host.clock.now() });
      const isPromise = typeof (returned as { then?: unknown } | undefined)?.then === "function";
      if (isPromise) Promise.resolve(returned as Promise<unknown>).catch(threw);
    } catch (error) {
      threw(error);
    }
  };
}

/** Whatever was thrown, as an error for `on.error`. */
export function errorOf(error: unknown): Error {
  return error instanceof Error
    ? error
    : fault("agency_seat_failed", `A value was thrown that is no error: ${String(error)}`);
}
