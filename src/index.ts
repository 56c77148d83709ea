// The public library surface: open a runtime in this process, or talk to a gateway.

export type { SpawnRequest, SubmitInput, SubmitRequest } from "./contract/api.ts";
export { type Clock, systemClock } from "./contract/clock.ts";
export type { SwarmEvent } from "./contract/events.ts";
export { type FaultCode, type FaultData, isFault } from "./contract/fault.ts";
export type { Census, ChildRecord, GroupRecord, RunDetail, RunRecord, WaitAnswer } from "./contract/records.ts";
export type { Settings } from "./contract/settings.ts";
export type { Caller, Runtime } from "./runtime/api.ts";
export {
  type ChildOutcome,
  type ChildRunner,
  type ChildWork,
  openRuntime,
  type RuntimeOptions,
} from "./runtime/open.ts";
