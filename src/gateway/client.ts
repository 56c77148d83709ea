// A gateway as a program on the other side of HTTP sees it: one method a route, faults instead of status
// codes, and waits that outlive a restart of the gateway. Light: it loads no framework and no schema.

import type { IncomingMessage } from "node:http";
import type { EndedAnswer, ForkInput, SpawnRequest, SubmitInput } from "../contract/api.ts";
import type { ApprovalRecord, ApprovalRequest, EventAnswer } from "../contract/approvals.ts";
import { type Clock, systemClock } from "../contract/clock.ts";
import type { SwarmEvent } from "../contract/events.ts";
import type { PointDetail, RunHistory } from "../contract/history.ts";
import { isChildId } from "../contract/ids.ts";
import type { Json } from "../contract/json.ts";
import { WAIT_TIMEOUT_SECONDS_DEFAULT } from "../contract/limits.ts";
import type {
  ChildRecord,
  ChildStatus,
  GroupRecord,
  RunDetail,
  RunRecord,
  RunState,
  WaitAnswer,
} from "../contract/records.ts";
import type { WorkflowListing } from "../contract/workflow.ts";
import type { PageRequest, RuntimeHealth } from "../runtime/api.ts";
import type { ApprovalQuery } from "../runtime/people-api.ts";
import { type EventsRequest, followEvents } from "./client/events.ts";
import { ANSWER_TIMEOUT_MS, type Channel, openChannel } from "./client/http.ts";
import { type IsGone, newPatience, persistently } from "./client/retry.ts";

export type { EventsRequest } from "./client/events.ts";

/** How long one question for a run's end waits at the gateway. */
export const ENDED_POLL_SECONDS = 60;

export interface ClientOptions {
  url: string;
  token: string;
  clock?: Clock;
  /** Asked before a try is repeated: when true, waits and streams end with `gateway_unreachable` at once. */
  isGone?: IsGone;
}

export interface ChildFilter {
  runId?: string | undefined;
  groupId?: string | undefined;
  status?: ChildStatus | undefined;
}

export interface Listing<Row> {
  rows: Row[];
  next?: string | undefined;
}

/** Every method rejects with a Fault: the gateway's own, or `gateway_unreachable` when nothing answers. */
export interface GatewayClient {
  readonly url: string;
  submit(input: SubmitInput): Promise<{ run: RunRecord; created: boolean }>;
  /** Those that the gateway reads itself. */
  workflows(): Promise<{ rows: WorkflowListing[] }>;
  run(runId: string): Promise<RunRecord>;
  runDetail(runId: string): Promise<RunDetail>;
  history(runId: string): Promise<RunHistory>;
  pointDetail(runId: string, turn: number): Promise<PointDetail>;
  fork(runId: string, input: ForkInput): Promise<{ run: RunRecord; created: boolean }>;
  runs(page?: PageRequest & { state?: RunState | undefined }): Promise<Listing<RunRecord>>;
  /** Resolves when the run is final. Goes on asking while the gateway restarts. */
  runEnded(runId: string, signal?: AbortSignal): Promise<RunRecord>;
  children(filter?: ChildFilter, page?: PageRequest): Promise<Listing<ChildRecord>>;
  groups(page?: PageRequest): Promise<Listing<GroupRecord>>;
  group(groupId: string): Promise<{ group: GroupRecord; children: ChildRecord[] }>;
  /** S-011. Goes on with the time that is left while the gateway restarts. */
  wait(ids: string[], timeoutSeconds?: number, signal?: AbortSignal): Promise<WaitAnswer>;
  /** A run or a child, by its id. */
  stop(id: string, reason?: string): Promise<{ stopped: string; cancelledChildren: number }>;
  resume(runId: string): Promise<RunRecord>;
  approvals(query?: ApprovalQuery, page?: PageRequest): Promise<Listing<ApprovalRecord>>;
  approval(approvalId: string): Promise<ApprovalRecord>;
  decide(approvalId: string, request: ApprovalRequest): Promise<ApprovalRecord>;
  sendEvent(runId: string, name: string, payload: Json): Promise<EventAnswer>;
  spawn(request: SpawnRequest): Promise<{ status: "accepted"; runId: string; sessionKey: string; groupId: string }>;
  /** `path` is absolute, on the gateway's disk. */
  backup(path: string): Promise<{ bytes: number }>;
  health(): Promise<RuntimeHealth>;
  /** Each event once and in order, over any number of cuts. Ends by `break` or the signal. */
  events(request?: EventsRequest): AsyncIterable<SwarmEvent>;
  /** Sends one MCP message; what is answered to it arrives in the body. */
  mcp(message: unknown, headers: { [name: string]: string }, signal: AbortSignal): Promise<IncomingMessage>;
  /** Lets go of idle connections. What is under way goes on. */
  close(): void;
}

/** Throws `option_type` when `url` is no http URL. */
export function createClient(options: ClientOptions): GatewayClient {
  const clock = options.clock ?? systemClock;
  const channel = openChannel({ url: options.url, token: options.token, clock });
  const staying: Staying = { channel, clock, isGone: options.isGone };
  const get = <Value>(path: string): Promise<Value> => channel.json("GET", path);
  const post = <Value>(path: string, body: unknown): Promise<Value> => channel.json("POST", path, { body });
  return {
    url: options.url,
    submit: (input) => post("/v1/runs", input),
    workflows: () => get("/v1/workflows"),
    run: (runId) => get(`/v1/runs/${segment(runId)}`),
    runDetail: (runId) => get(`/v1/runs/${segment(runId)}/detail`),
    history: (runId) => get(`/v1/runs/${segment(runId)}/history`),
    pointDetail: (runId, turn) => get(`/v1/runs/${segment(runId)}/point${queryOf({ turn })}`),
    fork: (runId, input) => post(`/v1/runs/${segment(runId)}/fork`, input),
    runs: (page = {}) => get(`/v1/runs${queryOf({ ...page })}`),
    runEnded: (runId, signal) => runEnded(staying, runId, signal),
    children: (filter = {}, page = {}) => get(`/v1/children${queryOf({ ...filter, ...page })}`),
    groups: (page = {}) => get(`/v1/groups${queryOf({ ...page })}`),
    group: (groupId) => get(`/v1/groups/${segment(groupId)}`),
    wait: (ids, timeoutSeconds, signal) => wait(staying, { ids, timeoutSeconds, signal }),
    stop: (id, reason) => post(`/v1/${isChildId(id) ? "children" : "runs"}/${segment(id)}/stop`, { reason }),
    resume: (runId) => post(`/v1/runs/${segment(runId)}/resume`, {}),
    approvals: (query = {}, page = {}) => get(`/v1/approvals${queryOf({ ...query, ...page })}`),
    approval: (approvalId) => get(`/v1/approvals/${segment(approvalId)}`),
    decide: (approvalId, request) => post(`/v1/approvals/${segment(approvalId)}`, request),
    sendEvent: (runId, name, payload) => post(`/v1/runs/${segment(runId)}/events/${segment(name)}`, payload),
    spawn: (request) => post("/v1/children", request),
    backup: (path) => channel.json("POST", "/v1/backup", { body: { path }, timeoutMs: BACKUP_TIMEOUT_MS }),
    health: () => get("/v1/health"),
    events: (request = {}) => followEvents(channel, staying, request),
    mcp: (body, headers, signal) => channel.stream("/mcp", { method: "POST", body, headers, signal }),
    close: () => channel.close(),
  };
}

/** The time-out of a question that comes too late to wait: it must be positive. */
const SHORTEST_WAIT_SECONDS = 0.001;
/** A backup copies the whole registry. */
const BACKUP_TIMEOUT_MS = 60 * 60_000;

interface Staying {
  channel: Channel;
  clock: Clock;
  isGone: IsGone | undefined;
}

async function runEnded(
  { channel, clock, isGone }: Staying,
  runId: string,
  signal: AbortSignal | undefined,
): Promise<RunRecord> {
  const path = `/v1/runs/${segment(runId)}/ended?timeoutSeconds=${ENDED_POLL_SECONDS}`;
  const timeoutMs = ENDED_POLL_SECONDS * 1_000 + ANSWER_TIMEOUT_MS;
  for (;;) {
    const answer = await persistently(newPatience(clock, isGone), signal, () =>
      channel.json<EndedAnswer>("GET", path, { timeoutMs, signal }),
    );
    if (answer.ended) return answer.run as RunRecord;
  }
}

interface WaitAsked {
  ids: string[];
  timeoutSeconds: number | undefined;
  signal: AbortSignal | undefined;
}

function wait({ channel, clock, isGone }: Staying, { ids, timeoutSeconds, signal }: WaitAsked): Promise<WaitAnswer> {
  const startedMs = clock.monotonic();
  let isFirst = true;
  return persistently(newPatience(clock, isGone), signal, () => {
    const goneSeconds = (clock.monotonic() - startedMs) / 1_000;
    const leftSeconds = Math.max((timeoutSeconds ?? WAIT_TIMEOUT_SECONDS_DEFAULT) - goneSeconds, SHORTEST_WAIT_SECONDS);
    // The first question leaves the default to the gateway.
    const body = isFirst ? { ids, timeoutSeconds } : { ids, timeoutSeconds: leftSeconds };
    isFirst = false;
    const timeoutMs = leftSeconds * 1_000 + ANSWER_TIMEOUT_MS;
    return channel.json<WaitAnswer>("POST", "/v1/wait", { body, timeoutMs, signal });
  });
}

function segment(id: string): string {
  return encodeURIComponent(id);
}

function queryOf(fields: { [name: string]: string | number | undefined }): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
