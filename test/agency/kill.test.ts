// kill -9 while a call is under way, in a program of its own over real HTTP.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type SeenRequest, startModelServer } from "../support/model-server/server.ts";
import { tempDir } from "../support/temp.ts";

const PROGRAM = fileURLToPath(new URL("./programs/debate.mjs", import.meta.url));
/** Two members, two rounds, and the judge. */
const CALLS = 5;

async function serve(hangAt: number) {
  let requests = 0;
  const server = await startModelServer({
    otherwise: (request) => {
      requests += 1;
      return requests === hangAt ? { hangs: "before" } : { text: `heard ${JSON.stringify(request.body.input).length}` };
    },
  });
  onTestFinished(() => server.close());
  return server;
}

function start(url: string, folder: string): { child: ChildProcess; ended: Promise<string> } {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    OPENAI_API_KEY: "key",
    OPENAI_BASE_URL: `${url}/openai/v1`,
    QUICKSWARM_DATA_DIR: folder,
  };
  const child = spawn(process.execPath, [PROGRAM, join(folder, "kept.jsonl")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const ended = new Promise<string>((resolve) => void child.on("close", () => resolve(out)));
  return { child, ended };
}

function bodies(requests: readonly SeenRequest[]): string[] {
  return requests.map((request) => JSON.stringify(request.body));
}

test("B-001 a program killed -9 in any call goes on from what it kept: only that call is sent again", async () => {
  const calm = await serve(0);
  const whole = await start(calm.url, tempDir()).ended;
  expect(JSON.parse(whole).calls).toHaveLength(4);
  for (let hangAt = 1; hangAt <= CALLS; hangAt += 1) {
    const server = await serve(hangAt);
    const folder = tempDir();
    const first = start(server.url, folder);
    await server.received(hangAt);
    first.child.kill("SIGKILL");
    expect(await first.ended).toBe("");
    expect(await start(server.url, folder).ended).toBe(whole);
    const sent = bodies(server.requests);
    expect(sent).toHaveLength(CALLS + 1);
    expect(sent[hangAt]).toBe(sent[hangAt - 1]);
    expect(sent.filter((_, index) => index !== hangAt)).toEqual(bodies(calm.requests));
    expect(readFileSync(join(folder, "kept.jsonl"), "utf8").split("\n")).toHaveLength(CALLS + 1);
  }
});
