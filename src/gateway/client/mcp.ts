// From one MCP client to the gateway, message by message, over restarts of the gateway. The client's session
// is opened again in the same name when the gateway has forgotten it, and what was under way is sent again:
// a message that starts something carries an idempotency key, so that it never starts it twice.

import type { IncomingMessage } from "node:http";
import { type Clock, randomHex } from "../../contract/clock.ts";
import { type FaultData, fault, isFault, toFaultData } from "../../contract/fault.ts";
import type { Json } from "../../contract/json.ts";
import { MIB_BYTES } from "../../contract/limits.ts";
import type { GatewayClient } from "../client.ts";
import { newFrameParser } from "./events.ts";
import { isPassing, newPatience } from "./retry.ts";

/** Longest message that the gateway may send: twice the longest result, and some. */
const MESSAGE_CHARS_MAX = 64 * MIB_BYTES;
/** Tries at the same address before a gateway is looked for or started anew. */
const TRIES_BEFORE_RENEWAL = 3;
const KEY_BYTES = 12;
/** The tools that start something, and take a key. */
const STARTING_TOOLS = ["sessions_spawn", "swarm_run"];
/** A tool that would do it twice when it is sent twice. */
const UNREPEATABLE_TOOLS = ["swarm_send_event"];
/** A JSON-RPC error of the server's own. */
const RPC_UNREACHABLE = -32_000;
const REOPEN_ID = "quickswarm-reopen";

export interface Message {
  id?: Json;
  method?: string;
  params?: { [name: string]: Json } | undefined;
  result?: { [name: string]: Json };
  error?: Json;
}

export interface BridgeOptions {
  clock: Clock;
  client(): Pick<GatewayClient, "mcp">;
  /** Finds or starts a gateway when the one that was used stays away; throws `error` when there is no other way. */
  renew(error: unknown, signal: AbortSignal): Promise<void>;
  /** The name of this client's session. */
  session: string;
  deliver(message: Message): void;
}

export interface McpBridge {
  /** Takes one message of the client; resolves when all that belongs to it has been delivered. Never rejects. */
  take(message: Message): Promise<void>;
  /** Ends what is under way. */
  close(): void;
}

interface State extends BridgeOptions {
  sessionId: string | undefined;
  protocolVersion: string | undefined;
  initialize: Message | undefined;
  /** Counts sessions, so that one loss is repaired once. */
  generation: number;
  repairing: Promise<void> | undefined;
  readonly closing: AbortController;
  readonly underWay: Map<Json, AbortController>;
}

export function openMcpBridge(options: BridgeOptions): McpBridge {
  const state: State = {
    ...options,
    sessionId: undefined,
    protocolVersion: undefined,
    initialize: undefined,
    generation: 0,
    repairing: undefined,
    closing: new AbortController(),
    underWay: new Map(),
  };
  // A message is sent when the one before it has been taken: the gateway sees them in their order.
  let before: Promise<void> = Promise.resolve();
  return {
    async take(given) {
      const message = withKey(given);
      const previous = before;
      let taken = (): void => {};
      before = new Promise((resolve) => {
        taken = resolve;
      });
      await previous;
      try {
        await pass(state, message, taken);
      } finally {
        taken();
      }
    },
    close: () => {
      state.closing.abort();
      for (const stop of state.underWay.values()) stop.abort();
    },
  };
}

async function pass(state: State, message: Message, taken: () => void): Promise<void> {
  const isRequest = message.method !== undefined && message.id !== undefined;
  const stop = new AbortController();
  if (message.method === "initialize") state.initialize = message;
  if (isRequest) state.underWay.set(message.id ?? null, stop);
  const end = (): void => stop.abort();
  state.closing.signal.addEventListener("abort", end, { once: true });
  try {
    await persist(state, message, taken, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted && isRequest) state.deliver(errorAnswer(message.id ?? null, toFaultData(error)));
  } finally {
    state.closing.signal.removeEventListener("abort", end);
    if (isRequest) state.underWay.delete(message.id ?? null);
    // The gateway has been told; nothing more is delivered for a request that is no longer wanted.
    if (message.method === "notifications/cancelled") state.underWay.get(message.params?.requestId ?? null)?.abort();
  }
}

/** Sends until it is answered, or until it cannot be. */
async function persist(state: State, message: Message, taken: () => void, signal: AbortSignal): Promise<void> {
  const patience = newPatience(state.clock);
  for (let tries = 1; ; tries++) {
    const { generation } = state;
    const client = state.client();
    try {
      return await exchange(state, message, taken, signal);
    } catch (error) {
      if (signal.aborted || !(isLost(error) || isPassing(error))) throw error;
      if (isUnrepeatable(message) && mayHaveArrived(error)) throw perhapsDone();
      if (!isLost(error) || tries > 1) await patience.pause(error, signal);
      const wanted = {
        session: isLost(error) && generation === state.generation,
        gateway: tries % TRIES_BEFORE_RENEWAL === 0,
      };
      if (wanted.session) await repair(state, () => reopen(state));
      else if (wanted.gateway && client === state.client())
        await repair(state, () => state.renew(error, state.closing.signal));
    }
  }
}

/** The gateway does not know the session: it was restarted, or the session was not used for long. */
function isLost(error: unknown): boolean {
  return isFault(error) && error.code === "not_found";
}

function isUnrepeatable({ method, params }: Message): boolean {
  return method === "tools/call" && UNREPEATABLE_TOOLS.includes(String(params?.name));
}

/** Whether the gateway may have worked at it: it neither refused it nor was away. */
function mayHaveArrived(error: unknown): boolean {
  return isFault(error) && error.code === "gateway_unreachable" && error.details?.reason !== "ECONNREFUSED";
}

function perhapsDone(): Error {
  return fault(
    "gateway_unreachable",
    "The gateway went away before it had answered; it may have done what was asked.",
    {
      next: "Look whether it was done, with swarm_status, before you ask for it again.",
    },
  );
}

/** Repairs once for all messages that found the same thing broken; what passes is tried again by each. */
function repair(state: State, work: () => Promise<void>): Promise<void> {
  state.repairing ??= work()
    .catch((error: unknown) => {
      if (!isPassing(error)) throw error;
    })
    .finally(() => {
      state.repairing = undefined;
    });
  return state.repairing;
}

/** One try. Throws `gateway_unreachable` when the answer was cut, and what the gateway refuses with. */
async function exchange(state: State, message: Message, taken: () => void, signal: AbortSignal): Promise<void> {
  const isOpening = message.method === "initialize";
  const response = await state.client().mcp({ ...message }, headersOf(state, isOpening), signal);
  taken();
  let isAnswered = message.id === undefined;
  for await (const one of messagesOf(response)) {
    const isAnswer = one.method === undefined && one.id === message.id;
    if (isAnswer) isAnswered = true;
    if (isAnswer && isOpening) opened(state, response, one);
    state.deliver(one);
  }
  if (!isAnswered) throw cut();
}

function headersOf(state: State, isOpening: boolean): { [name: string]: string } {
  return {
    accept: "application/json, text/event-stream",
    "quickswarm-session": state.session,
    ...(!isOpening && state.sessionId !== undefined && { "mcp-session-id": state.sessionId }),
    ...(!isOpening && state.protocolVersion !== undefined && { "mcp-protocol-version": state.protocolVersion }),
  };
}

function opened(state: State, response: IncomingMessage, answer: Message): void {
  const version = answer.result?.protocolVersion;
  state.sessionId = String(response.headers["mcp-session-id"]);
  state.protocolVersion = typeof version === "string" ? version : undefined;
  state.generation += 1;
}

/** Opens the session again, as the client did. */
async function reopen(state: State): Promise<void> {
  const { signal } = state.closing;
  const initialize = { ...state.initialize, id: REOPEN_ID };
  const response = await state.client().mcp(initialize, headersOf(state, true), signal);
  for await (const one of messagesOf(response)) if (one.id === REOPEN_ID) opened(state, response, one);
  const told = { jsonrpc: "2.0", method: "notifications/initialized" };
  for await (const _none of messagesOf(await state.client().mcp(told, headersOf(state, false), signal)));
}

/** Everything in one answer: a JSON document, an event stream, or nothing. Throws `gateway_unreachable` for a cut. */
async function* messagesOf(response: IncomingMessage): AsyncGenerator<Message> {
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  const parse = newFrameParser(MESSAGE_CHARS_MAX);
  let text = "";
  response.setEncoding("utf8");
  try {
    for await (const chunk of response) {
      if (!isStream) text += String(chunk);
      else for (const { data } of parse(String(chunk))) if (data !== "") yield JSON.parse(data) as Message;
    }
  } catch (error) {
    throw isFault(error) ? error : cut();
  } finally {
    response.destroy();
  }
  if (text.trim() !== "") yield JSON.parse(text) as Message;
}

function cut(): Error {
  return fault("gateway_unreachable", "The gateway went away before it had answered.");
}

/** Sent again after a restart of the gateway, it gives what was started the first time. */
function withKey(message: Message): Message {
  const { name, arguments: given } = message.params ?? {};
  if (message.method !== "tools/call" || !STARTING_TOOLS.includes(String(name))) return message;
  if (typeof given !== "object" || given === null || Array.isArray(given) || "idempotencyKey" in given) return message;
  const key = `mcp-${randomHex(KEY_BYTES)}`;
  return { ...message, params: { ...message.params, arguments: { ...given, idempotencyKey: key } } };
}

export function errorAnswer(id: Json, data: FaultData, code = RPC_UNREACHABLE): Message {
  const error = { code, message: `${data.message} ${data.next}`, data: { code: data.code, next: data.next } };
  return { jsonrpc: "2.0", id, error } as Message;
}
