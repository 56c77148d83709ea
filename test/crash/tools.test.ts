// Killed after and before every write of a child with four tool steps, and of a script that calls tools itself:
// the model's bill and the tool's ledger say what was done twice.

import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type ModelServer, type SeenRequest, startModelServer } from "../support/model-server/server.ts";
import type { Reply } from "../support/model-server/wire.ts";
import { tempDir } from "../support/temp.ts";
import { type Fixture, fixtureProgram } from "../tools/support.ts";
import { sideBySide } from "./support/side-by-side.ts";

const HOST = fileURLToPath(new URL("support/tool-host.mjs", import.meta.url));
const DIST = new URL("../../dist/", import.meta.url).href;
const TOOL_STEPS = 4;
/** More writes than any of the scripts makes; what is past the end is not killed. */
const WRITES_MAX = 40;

interface Ended {
  state: string;
  result: unknown;
  child?: { attempts: number; usage: { inputTokens: number } };
}

interface Disturbed {
  kills: number;
  ended: Ended;
  server: ModelServer;
  program: Fixture;
}

/** How many results of tools the model was shown: which of its steps a request asks for. */
function stepOf(request: SeenRequest): number {
  return (request.body.messages as { role: string }[]).filter(({ role }) => role === "tool").length;
}

function answer(request: SeenRequest): Reply {
  const step = stepOf(request);
  if (step === TOOL_STEPS) return { text: "Done." };
  return { calls: [{ name: "files__echo", input: { text: `step ${step}` } }] };
}

/** Runs the script in processes of their own, the first of which is killed. */
async function disturbed(script: string, kill: { point: string; occurrence: number } | undefined): Promise<Disturbed> {
  const server = await startModelServer({ otherwise: answer });
  const program = fixtureProgram();
  const dataDir = tempDir();
  const models = { providers: { groq: { baseUrl: `${server.url}/openai/v1` } } };
  const file = { defaultModel: "groq:m", models, tools: { mcp: { files: program.config } } };
  writeFileSync(join(dataDir, "config.json5"), JSON.stringify(file));
  let kills = 0;
  for (const wish of [kill, undefined]) {
    const config = JSON.stringify({ dist: DIST, dataDir, script, kill: wish });
    const host = spawn(process.execPath, [HOST, config], {
      env: { PATH: process.env.PATH, GROQ_API_KEY: "k" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void host.kill("SIGKILL"));
    const end = await endOf(host);
    if (end.signal === "SIGKILL") kills += 1;
    else {
      await server.close();
      await allGone(program);
      return { kills, ended: JSON.parse(end.output) as Ended, server, program };
    }
  }
  throw new Error("the host died although nobody killed it");
}

async function endOf(host: ChildProcess): Promise<{ signal: string | null; output: string }> {
  let output = "";
  host.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return new Promise((resolve) => host.once("close", (_code, signal) => resolve({ signal, output })));
}

/** A server whose gateway was killed sees the end of its input. */
async function allGone(program: Fixture): Promise<void> {
  for (const { started } of program.ledger()) {
    if (started === undefined) continue;
    await expect
      .poll(
        () => {
          try {
            return process.kill(started, 0);
          } catch {
            return false;
          }
        },
        { timeout: 30_000 },
      )
      .toBe(false);
  }
}

/** What was called, by its key: the attempts in order. */
function attemptsByKey(program: Fixture): Map<string, (number | undefined)[]> {
  const calls = new Map<string, (number | undefined)[]>();
  for (const { key, attempt } of program.ledger()) {
    if (key !== undefined) calls.set(key, [...(calls.get(key) ?? []), attempt]);
  }
  return calls;
}

const isTwice = (attempts: (number | undefined)[]): boolean => JSON.stringify(attempts) === "[1,2]";
const isOnce = ({ length }: unknown[]): boolean => length === 1;

async function killedEverywhere(script: string, point: string): Promise<Disturbed[]> {
  const occurrences = Array.from({ length: WRITES_MAX }, (_, index) => index + 1);
  const { commits } = (await disturbed(script, { point, occurrence: WRITES_MAX })).ended as unknown as {
    commits: number;
  };
  return sideBySide(2, occurrences.slice(0, commits), (occurrence) => disturbed(script, { point, occurrence }));
}

test.each(["beforeCommit", "afterCommit"])(
  "R-004 L12 a child with four tool steps, killed at %s of every write: no step is sent twice but the one in flight, and a tool sees the key of both attempts",
  async (point) => {
    const all = await killedEverywhere(`return agents.run("Work.", { tools: ["files.echo"] });`, point);
    // Writes that come together share a commit, so the last places may not be reached.
    expect(all.filter(({ kills }) => kills === 1).length).toBeGreaterThan(2 * TOOL_STEPS + 1);
    const twice = { sent: 0, called: 0 };
    for (const [index, { ended, server, program }] of all.entries()) {
      const place = `killed at write ${index + 1}`;
      expect(ended, place).toMatchObject({ state: "done", result: "Done." });
      const sent = Array.from(
        { length: TOOL_STEPS + 1 },
        (_, step) => server.requests.filter((one) => stepOf(one) === step).length,
      );
      const called = [...attemptsByKey(program).values()];
      expect(called, place).toHaveLength(TOOL_STEPS);
      const resent = sent.filter((count) => count === 2).length;
      const rerun = called.filter(isTwice).length;
      expect(sent.filter((count) => count === 1).length + resent, place).toBe(TOOL_STEPS + 1);
      expect(called.filter(isOnce).length + rerun, place).toBe(TOOL_STEPS);
      expect(resent + rerun, place).toBeLessThanOrEqual(1);
      twice.sent += resent;
      twice.called += rerun;
      // What was stored is billed; a request that was under way at the kill is charged by its reservation.
      expect(ended.child?.usage.inputTokens, place).toBeGreaterThanOrEqual(11 * (TOOL_STEPS + 1));
    }
    // What was done and not yet stored is what is done again.
    if (point === "beforeCommit") {
      expect(twice.sent).toBeGreaterThanOrEqual(TOOL_STEPS + 1);
      expect(twice.called).toBeGreaterThanOrEqual(TOOL_STEPS);
    }
  },
);

test("G-014 R-004 L12 a script that calls tools, killed after every write: each call is answered once, and only the one in flight runs twice, under its key", async () => {
  const script = `
    const first = await tools.files.echo({ text: "a" });
    const [second, third] = await Promise.all([tools.files.echo({ text: "b" }), tools.files.sum({ a: 1, b: 2 })]);
    return [first, second, third];
  `;
  for (const [index, { ended, program }] of (await killedEverywhere(script, "afterCommit")).entries()) {
    const place = `killed at write ${index + 1}`;
    expect(ended, place).toMatchObject({ state: "done", result: ["echo: a", "echo: b", { sum: 3 }] });
    const called = [...attemptsByKey(program).values()];
    expect(called, place).toHaveLength(3);
    expect(
      called.every((attempts) => isOnce(attempts) || isTwice(attempts)),
      place,
    ).toBe(true);
  }
});
