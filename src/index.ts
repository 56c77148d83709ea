// The public library surface: teams of agents, a runtime in this process, or talk to a gateway. Importing it
// loads neither the VM nor a provider.

export type { SoloConfig } from "./agency/agent.ts";
export type { ApprovalDecision, ApprovalRequest, Handler, HitlConfig } from "./agency/approvals.ts";
export type { Breach } from "./agency/breach.ts";
export type { AgencyEvents } from "./agency/callbacks.ts";
export type {
  AgencyConfig,
  AgencyExport,
  AgencyInstance,
  AgencyResult,
  Agent,
  AgentCallRecord,
  AgentConfig,
  AgentHandle,
  AgentResult,
  ControlsConfig,
  EmergentConfig,
  GenerateOptions,
  OutputSchema,
  QuorumConfig,
  Session,
  SessionMessage,
  StrategyName,
  ToolCallRecord,
  UsageTotals,
} from "./agency/config.ts";
export { AgencyConfigError, AgencyQuorumError } from "./agency/errors.ts";
export type { MemoryProvider } from "./agency/memory.ts";
export type { AgencyStream, StreamPart } from "./agency/parts.ts";
export type { AgencyHost, SeatAnswer, SeatCall, SeatKey, SeatRequest, SeatUsage, SeatWork } from "./agency/port.ts";
export type { ProvenanceConfig, TrailEntry } from "./agency/provenance.ts";
export type { ToolDefinition, ToolTable } from "./agency/tools.ts";
export type { SpawnRequest, SubmitInput, SubmitRequest } from "./contract/api.ts";
export { type Clock, systemClock } from "./contract/clock.ts";
export type { SwarmEvent } from "./contract/events.ts";
export { type FaultCode, type FaultData, isFault } from "./contract/fault.ts";
export type { Census, ChildRecord, GroupRecord, RunDetail, RunRecord, WaitAnswer } from "./contract/records.ts";
export type { Settings } from "./contract/settings.ts";
export type { Caller, Runtime } from "./runtime/api.ts";
export {
  type AgencyHostOptions,
  type AgencyLog,
  agency,
  agencyHost,
  agent,
  type LoggerFactory,
  openRuntime,
  setLoggerFactory,
} from "./runtime/library.ts";
export type { ChildOutcome, ChildRunner, ChildWork, HostTool, HostToolCall, RuntimeOptions } from "./runtime/open.ts";
