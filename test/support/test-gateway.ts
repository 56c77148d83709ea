// A gateway on a free loopback port over the in-memory Runtime, and plain HTTP to talk to it: any header,
// any body, no client in between.

import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Settings } from "../../src/contract/settings.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../../src/gateway/listen.ts";
import { createLog } from "../../src/gateway/log.ts";
import { ManualClock } from "./manual-clock.ts";
import { MemoryRuntime } from "./memory-runtime.ts";

export interface TestGateway {
  gateway: Gateway;
  runtime: MemoryRuntime;
  clock: ManualClock;
  settings: Settings;
  /** The log's lines so far. */
  lines: string[];
}

export interface Sent {
  method?: string;
  headers?: { [name: string]: string };
  /** Text goes as it is, anything else as JSON. */
  body?: unknown;
  /** Without the token when false. */
  token?: boolean;
  signal?: AbortSignal;
}

export interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The text as JSON; undefined when it is none. */
  json: unknown;
}

export interface TestGatewayOptions extends Omit<GatewayOptions, "clock" | "log"> {
  gateway?: Partial<Settings["gateway"]>;
  dataDir?: string;
  /** Goes on in place of a new one, as after a restart. */
  runtime?: MemoryRuntime;
}

/** Ended, with its folder, when the test is over. */
export async function testGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const clock = new ManualClock();
  const settings = testSettings(options.dataDir ?? (await tempFolder()), options.gateway);
  const lines: string[] = [];
  const log = createLog("debug", clock, (line) => void lines.push(line));
  const runtime = options.runtime ?? new MemoryRuntime(clock);
  const { gateway: _address, dataDir: _folder, runtime: _runtime, ...rest } = options;
  const gateway = await startGateway(settings, async () => runtime, { ...rest, clock, log });
  onTestFinished(() => gateway.close());
  return { gateway, runtime, clock, settings, lines };
}

/** Removed when the test is over. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "quickswarm-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function testSettings(dataDir: string, gateway: Partial<Settings["gateway"]> = {}): Settings {
  const swarm = {
    enabled: true,
    maxConcurrent: 8,
    maxChildrenPerGroup: 50,
    maxTotalPerGroup: 200,
    waitTimeoutSecondsMax: 600,
    defaultAgentId: "",
    maxSpawnDepth: 1,
    cancelUnawaited: false,
    archiveAfterMinutes: 60,
  };
  return {
    dataDir,
    gateway: { host: "127.0.0.1", port: 0, allowedHosts: [], allowedOrigins: [], ...gateway },
    maxConcurrentGlobal: 64,
    vmWorkers: 1,
    hotVmsPerWorker: 4,
    defaultModel: "offline:echo",
    offlineDelayMs: 1,
    offlineSlowMs: 1_500,
    agents: {},
    swarmFor: () => swarm,
    codeMode: {
      enabled: true,
      timeoutMs: 10_000,
      memoryLimitBytes: 64 * 1024 * 1024,
      maxOutputBytes: 64 * 1024,
      maxSnapshotBytes: 10 * 1024 * 1024,
      maxPendingToolCalls: 1_000,
      snapshotTtlSeconds: 3_600,
      keepHistoryTurns: 0,
    },
    logLevel: "debug",
  };
}

/** One request; its connection is closed after it. */
export async function send(gateway: Gateway, path: string, sent: Sent = {}): Promise<Received> {
  const response = await open(gateway, path, sent);
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.statusCode ?? 0, headers: response.headers, text, json };
}

/** One request; its answer's head, with the body still to come. */
export function open(gateway: Gateway, path: string, sent: Sent = {}): Promise<IncomingMessage> {
  const { method = sent.body === undefined ? "GET" : "POST", token = true, signal } = sent;
  const body = sent.body === undefined || typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body);
  const headers = {
    ...(token && { authorization: `Bearer ${gateway.token}` }),
    ...(method === "POST" && { "content-type": "application/json" }),
    ...sent.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port: gateway.port, path, method, headers, agent: false, signal });
    outgoing.on("error", reject);
    outgoing.on("response", resolve);
    outgoing.end(body);
  });
}
