// One client's way to a gateway: requests over node:http, problem documents turned back into faults.
// node:http and not fetch: it loads in a quarter of the time, and it has no time-out of its own that a long
// wait would run into.

import { Agent, type IncomingMessage, request } from "node:http";
import type { Agent as SecureAgent } from "node:https";
import type { Clock } from "../../contract/clock.ts";
import { type FaultData, fault, faultFromData, isFault, isFaultCode } from "../../contract/fault.ts";
import { type LinkedSignal, linkSignals } from "../signals.ts";

/** How long an answer that is no wait may take. */
export const ANSWER_TIMEOUT_MS = 60_000;
/** How much is shown of an answer that no gateway gave. */
const STRANGER_CHARS_SHOWN_MAX = 60;
/** Connections kept for the next request. */
export const IDLE_CONNECTIONS_MAX = 4;

export interface ChannelOptions {
  url: string;
  token?: string | undefined;
  clock: Clock;
}

export interface RequestOptions {
  body?: unknown;
  headers?: { [name: string]: string };
  /** Until the answer is there; the default is ANSWER_TIMEOUT_MS. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type Method = "GET" | "POST";

export interface StreamOptions extends RequestOptions {
  /** GET when absent. */
  method?: Method;
}

export interface Channel {
  readonly url: string;
  /** The answer's JSON. Throws the gateway's fault, `gateway_unreachable`, or the signal's reason. */
  json<Value>(method: Method, path: string, options?: RequestOptions): Promise<Value>;
  /** An answer as it arrives, once its head is there; read it to the end or destroy it. Throws as `json`. */
  stream(path: string, options?: StreamOptions): Promise<IncomingMessage>;
  /** Closes idle connections. */
  close(): void;
}

/** Throws `option_type` for what is no http or https URL. */
export function openChannel(options: ChannelOptions): Channel {
  const protocol = URL.canParse(options.url) ? new URL(options.url).protocol : "";
  if (protocol !== "http:" && protocol !== "https:") {
    throw fault("option_type", `The gateway's address must be an http URL, got ${JSON.stringify(options.url)}.`);
  }
  let transport: Promise<Transport> | undefined;
  const use = (): Promise<Transport> => {
    transport ??= protocol === "https:" ? secureTransport() : Promise.resolve(plainTransport());
    return transport;
  };
  return {
    url: options.url,
    json: (method, path, given = {}) =>
      bounded(options, given, async (linked) => {
        const response = await sendFresh(options, await use(), { method, path, given, signal: linked.signal });
        const value = parseAnswer(options.url, response, await readText(response));
        linked.end();
        return value as never;
      }),
    stream: (path, given = {}) =>
      bounded(options, given, async (linked) => {
        const sending: Sending = { method: given.method ?? "GET", path, given, signal: linked.signal };
        const response = await sendFresh(options, await use(), sending);
        response.once("close", linked.end);
        return response;
      }),
    close: () => void transport?.then(({ agent }) => agent.destroy()),
  };
}

interface Transport {
  request: typeof request;
  agent: Agent | SecureAgent;
}

const KEEP_CONNECTIONS = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_MAX };

function plainTransport(): Transport {
  return { request, agent: new Agent(KEEP_CONNECTIONS) };
}

/** For a gateway behind a proxy that speaks TLS; loaded only then. */
async function secureTransport(): Promise<Transport> {
  const https = await import("node:https");
  return { request: https.request, agent: new https.Agent(KEEP_CONNECTIONS) };
}

interface Sending {
  method: Method;
  path: string;
  given: RequestOptions;
  signal: AbortSignal;
}

/** Runs `work` under the caller's signal and the time-out; names what went wrong. */
async function bounded<Value>(
  options: ChannelOptions,
  given: RequestOptions,
  work: (linked: LinkedSignal) => Promise<Value>,
): Promise<Value> {
  given.signal?.throwIfAborted();
  const timeoutMs = given.timeoutMs ?? ANSWER_TIMEOUT_MS;
  const linked = linkSignals(given.signal ? [given.signal] : []);
  let late = false;
  const timer = options.clock.setTimer(timeoutMs, () => {
    late = true;
    linked.abort();
  });
  try {
    return await work(linked);
  } catch (error) {
    linked.end();
    given.signal?.throwIfAborted();
    if (isFault(error)) throw error;
    const reason = late ? `it did not answer within ${timeoutMs / 1_000} seconds` : codeOf(error);
    throw fault("gateway_unreachable", `The gateway at ${options.url} cannot be reached: ${reason}.`, {
      details: { url: options.url, reason },
      cause: error,
    });
  } finally {
    timer.cancel();
  }
}

/**
 * A kept connection may have been closed by the other side the moment it is used again. A GET is then sent anew;
 * a POST never finds itself there, because it always gets a connection of its own.
 */
async function sendFresh(options: ChannelOptions, transport: Transport, sending: Sending): Promise<IncomingMessage> {
  for (let left = IDLE_CONNECTIONS_MAX; ; left -= 1) {
    const sent = await send(options, transport, sending);
    if (!("stale" in sent)) return sent.response;
    if (left === 0) throw sent.stale;
  }
}

async function send(
  options: ChannelOptions,
  transport: Transport,
  { method, path, given, signal }: Sending,
): Promise<{ response: IncomingMessage } | { stale: unknown }> {
  const { hostname, port } = new URL(options.url);
  const body = method === "POST" ? JSON.stringify(given.body === undefined ? {} : given.body) : undefined;
  const outgoing = transport.request({
    host: hostname.replace(/^\[|\]$/g, ""),
    ...(port !== "" && { port: Number(port) }),
    method,
    path,
    signal,
    agent: method === "GET" ? transport.agent : false,
    headers: { ...headersOf(options, body), ...given.headers },
  });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve);
      outgoing.once("error", reject);
      outgoing.end(body);
    });
    // Later errors show at the response; without a listener here they would end the process.
    outgoing.on("error", () => {});
    if ((response.statusCode ?? 0) >= 300) throw faultOf(options.url, response, await readText(response));
    return { response };
  } catch (error) {
    if (outgoing.reusedSocket && !signal.aborted && !isFault(error)) return { stale: error };
    throw error;
  }
}

function headersOf(options: ChannelOptions, body: string | undefined): { [name: string]: string | number } {
  const { host } = new URL(options.url);
  const headers: { [name: string]: string | number } = { host, accept: "application/json" };
  if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`;
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    headers["content-length"] = Buffer.byteLength(body);
  }
  return headers;
}

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

function parseAnswer(url: string, response: IncomingMessage, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw stranger(url, response, text);
  }
}

/** Whoever speaks there is no gateway: its address, and how what came begins. */
function stranger(url: string, { statusCode = 0, headers }: IncomingMessage, text: string): Error {
  const type = headers["content-type"] ?? "no content type";
  const begin = text === "" ? "nothing in it" : `it begins ${JSON.stringify(text.slice(0, STRANGER_CHARS_SHOWN_MAX))}`;
  return fault(
    "gateway_unreachable",
    `What answers at ${url} is no quickswarm gateway: HTTP status ${statusCode}, ${type}, ${begin}.`,
    {
      details: { url, status: statusCode, reason: "stranger" },
      next: "Check the address; a gateway prints its own when it starts.",
    },
  );
}

/** Codes of a newer gateway are `internal` here, with its own words. */
function faultOf(url: string, response: IncomingMessage, text: string): Error {
  let problem: Partial<FaultData> & { detail?: unknown } = {};
  try {
    problem = JSON.parse(text) as typeof problem;
  } catch {
    // Whatever answered is no gateway of ours; its status has to do.
  }
  if (typeof problem?.detail !== "string" || typeof problem.next !== "string") {
    return stranger(url, response, text);
  }
  const { code, detail, next, place, details } = problem;
  return faultFromData({
    code: isFaultCode(code) ? code : "internal",
    message: detail,
    next,
    ...(place && { place }),
    ...(details && { details }),
  });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "the connection was cut";
}
