// Scoreboard row 11 for what there is: after runs that try to get at them, and requests that fail in every way,
// the token, the snapshot key, the data directory's path and the environment are in nothing that is kept or sent.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/contract/clock.ts";
import { toFaultData } from "../../src/contract/fault.ts";
import { type Gateway, startGateway } from "../../src/gateway/listen.ts";
import { createLog, type Log } from "../../src/gateway/log.ts";
import { openRuntime } from "../../src/runtime/open.ts";
import { testSettings } from "../support/settings.ts";
import { tempDir } from "../support/temp.ts";
import { open, type Sent, send } from "../support/test-gateway.ts";
import { bytesCanary, type Canary, canaryText, findCanaries, textCanary } from "./support/canary.ts";
import { ReplyingRunner } from "./support/runner.ts";
import { readCorpus } from "./support/script.ts";
import { storedMemories } from "./support/stored-memory.ts";
import { SMALL_LIMITS } from "./support/world.ts";

const ENVIRONMENT = "QUICKSWARM_CANARY";
/** Hold the secrets by design. */
const KEEPERS = new Set(["snapshot.key", "gateway.token"]);
const PROBES = /^(escape|tamper|result|stack|text)\//;

interface Bed {
  dataDir: string;
  token: string;
  gateway: Gateway;
  log: Log;
  runner: ReplyingRunner;
  canaries: Canary[];
  /** Everything that was sent to clients or written to the log, piece by piece. */
  heard: { [place: string]: string[] };
}

test("what runs and requests leave behind holds no token, no key, no path and no environment", async () => {
  const bed = await openBed();
  const stream = await listen(bed);
  const scripts = readCorpus().filter((script) => PROBES.test(script.name) && !script.clockRuns);
  for (const { text, language } of scripts) await run(bed, text, { foreign: {} }, language);
  await refusedRequests(bed);
  await park(bed);
  const locked = await openRuntime(testSettings(bed.dataDir)).then(
    () => "opened twice",
    (error: unknown) => JSON.stringify(toFaultData(error)),
  );
  bed.heard.errors?.push(locked);
  const found = findCanaries(bed.canaries, filesOf(bed.dataDir, "open"));
  await bed.gateway.close();
  await stream.over;
  expect(bed.heard.answers?.length).toBeGreaterThan(2 * scripts.length);
  expect(bed.heard.events?.join("")).toContain("run.ended");
  expect(bed.heard.log?.join("")).toContain("the gateway is closed");
  found.push(...findCanaries(bed.canaries, { ...filesOf(bed.dataDir, "closed"), ...heardBy(bed) }));
  found.push(...findCanaries(bed.canaries, await memoriesOf(bed)));
  expect(found).toEqual([]);
});

test("a secret that a run is given is found everywhere it goes: the search can fail", async () => {
  const bed = await openBed();
  const stream = await listen(bed);
  await run(bed, "log(args.secret); await agents.run('say ' + args.secret); throw new Error(args.secret);", {
    secret: bed.token,
  });
  await bed.gateway.runtime.submit(
    { sessionKey: "operator", operator: true },
    {
      script: 'const kept = args.secret; await agents.run("hold"); return kept;',
      language: "js",
      fileName: "a.js",
      args: { secret: bed.token },
    },
  );
  await bed.runner.started("hold");
  bed.log("info", "planted", { token: bed.token, folder: Buffer.from(bed.dataDir).toString("base64") });
  const whileOpen = findCanaries(bed.canaries, filesOf(bed.dataDir, "open"));
  await bed.gateway.close();
  await stream.over;
  expect(whileOpen).toContain("token in open quickswarm.db-wal");
  expect(findCanaries(bed.canaries, { ...filesOf(bed.dataDir, "closed"), ...heardBy(bed) })).toEqual([
    "token in closed quickswarm.db",
    "token in answers",
    "token in events",
    "token in log",
    "data directory in log",
  ]);
  expect(findCanaries(bed.canaries, await memoriesOf(bed))).toEqual([
    expect.stringMatching(/^token in memory of run_/),
  ]);
});

async function openBed(): Promise<Bed> {
  const folder = canaryText();
  const [token, environment] = [canaryText(), canaryText()];
  const dataDir = join(tempDir(), folder);
  mkdirSync(dataDir);
  process.env[ENVIRONMENT] = environment;
  onTestFinished(() => void delete process.env[ENVIRONMENT]);
  const heard = { answers: [], events: [], log: [], errors: [] } as { [place: string]: string[] };
  const log = createLog("debug", systemClock, (line) => void heard.log?.push(line));
  const runner = new ReplyingRunner();
  const settings = { ...testSettings(dataDir, SMALL_LIMITS), logLevel: "debug" as const };
  const gateway = await startGateway(settings, (given, more) => openRuntime(given, { ...more, runners: [runner] }), {
    log,
    token,
  });
  onTestFinished(() => gateway.close());
  const canaries = [
    textCanary("token", token),
    textCanary("data directory", folder),
    textCanary("environment", environment),
    bytesCanary("snapshot key", readFileSync(join(dataDir, "snapshot.key"))),
  ];
  return { dataDir, token, gateway, log, runner, canaries, heard };
}

/** Keeps everything that goes over the event stream; `over` when the gateway has closed it. */
async function listen({ gateway, heard }: Bed): Promise<{ over: Promise<void> }> {
  const response = await open(gateway, "/v1/events?after=0", { headers: { accept: "text/event-stream" } });
  response.setEncoding("utf8");
  response.on("data", (text: string) => heard.events?.push(text));
  return { over: new Promise<void>((resolve) => response.once("close", resolve)) };
}

async function ask(bed: Bed, path: string, sent: Sent = {}): Promise<unknown> {
  const { text, headers, json } = await send(bed.gateway, path, sent);
  bed.heard.answers?.push(JSON.stringify(headers), text);
  return json;
}

async function run(bed: Bed, script: string, args: object, language = "js"): Promise<void> {
  const answer = (await ask(bed, "/v1/runs", { body: { script, args, language } })) as { run?: { runId: string } };
  const runId = answer.run?.runId;
  if (runId === undefined) return;
  await ask(bed, `/v1/runs/${runId}/ended?timeoutSeconds=60`);
  await ask(bed, `/v1/runs/${runId}/detail`);
}

/** Requests that are refused, each for another reason. */
async function refusedRequests(bed: Bed): Promise<void> {
  const script = "return 1;";
  const requests: [string, Sent][] = [
    ["/v1/runs", { token: false }],
    ["/v1/runs", { headers: { authorization: "Bearer wrong" } }],
    ["/v1/runs", { headers: { host: "evil.example" } }],
    ["/v1/runs", { headers: { origin: "http://evil.example" } }],
    ["/v1/runs", { body: "{" }],
    ["/v1/runs", { body: { script, unknown: 1 } }],
    ["/v1/runs", { body: { script, model: "nobody:1" } }],
    ["/v1/runs", { body: { script, agentId: "nobody" } }],
    ["/v1/runs", { body: { script: "const = ;" } }],
    ["/v1/runs", { body: { script }, headers: { "content-type": "text/plain" } }],
    ["/v1/runs/run_none", {}],
    ["/v1/runs/..%2f..%2fsnapshot.key", {}],
    ["/v1/children?limit=-1", {}],
    ["/v1/backup", { body: { path: "relative" } }],
    ["/v1/backup", { body: { path: "/proc/nowhere/backup.db" } }],
    ["/snapshot.key", {}],
    ["/v1/events?after=x", {}],
    ["/v1/health", { method: "PUT", body: {} }],
    ["/v1/health", {}],
    ["/v1/openapi.json", {}],
    ["/healthz", { token: false }],
  ];
  for (const [path, sent] of requests) await ask(bed, path, sent);
}

/** Leaves a run with a snapshot behind. */
async function park(bed: Bed): Promise<void> {
  await ask(bed, "/v1/runs", {
    body: { script: 'const all = Object.keys(globalThis); await agents.run("hold"); return all;' },
  });
  await bed.runner.started("hold");
}

function heardBy({ heard }: Bed): { [place: string]: Buffer } {
  return Object.fromEntries(Object.entries(heard).map(([place, pieces]) => [place, Buffer.from(pieces.join("\n"))]));
}

function filesOf(dataDir: string, when: string): { [place: string]: Buffer } {
  const names = readdirSync(dataDir).filter((name) => !KEEPERS.has(name));
  return Object.fromEntries(names.map((name) => [`${when} ${name}`, readFileSync(join(dataDir, name))]));
}

/** The guest memories that are kept compressed in the database, opened. */
async function memoriesOf({ dataDir }: Bed): Promise<{ [place: string]: Buffer }> {
  const memories = await storedMemories(dataDir);
  expect(memories.size).toBeGreaterThan(0);
  return Object.fromEntries([...memories].map(([runId, bytes]) => [`memory of ${runId}`, bytes]));
}
