// The commands against a gateway in a process of its own, which may be stopped and killed.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { swarmEventSchema } from "../../src/contract/events.ts";
import { waitAnswerSchema } from "../../src/contract/records.ts";
import { quickswarm, start, startGateway } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

function place(files: { [path: string]: string } = {}) {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data` };
}

const SLOW =
  'log("begun");\nawait agents.run("Wait", { label: "one", model: "offline:echo@2000ms" });\nreturn "through";';
const QUICK = 'const text = await agents.run("Say it", { label: "one" });\nreturn text.length > 0;';
const HANGS = 'log("begun");\nreturn agents.run("Wait for ever", { label: "never", model: "offline:hang" });';

async function submit(at: { cwd: string; dataDir: string }, file: string): Promise<string> {
  const { code, out } = await quickswarm(at, ["submit", file]);
  expect(code).toBe(0);
  expect(out).toMatch(/^run_[0-9a-f]{32}\n$/);
  return out.trim();
}

test("I-003 the gateway says in one line where it answers, and SIGTERM and SIGINT end it cleanly", async () => {
  const at = place();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const gateway = await startGateway(at);
    expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    gateway.process.kill(signal);
    const { code, out } = await gateway.ended;
    expect(code).toBe(0);
    expect(out).toBe(`quickswarm ${manifest.version} answers at ${gateway.url}, data in ${at.dataDir}\n`);
    expect(existsSync(join(at.dataDir, "gateway.json"))).toBe(false);
  }
});

test("I-003 gateway --json says the same as one line of JSON", async () => {
  const at = place();
  const gateway = start(at, ["gateway", "--port", "0", "--json"]);
  const said = await gateway.says(/^\{"url".*\}$/m);
  const line = said.split("\n").find((text) => text.startsWith('{"url"')) ?? "";
  expect(JSON.parse(line)).toEqual({
    url: expect.stringContaining("http://"),
    dataDir: at.dataDir,
    pid: gateway.process.pid,
    version: manifest.version,
  });
});

test("I-003 submit prints the run's id alone; wait, show and run --detach use the same gateway", async () => {
  const at = place({ "quick.js": QUICK });
  await startGateway(at);
  const runId = await submit(at, "quick.js");
  const waited = await quickswarm(at, ["wait", runId, "--json"]);
  expect(waited.code).toBe(0);
  const answer = waitAnswerSchema.parse(JSON.parse(waited.out));
  expect(answer.completed).toMatchObject([{ runId, status: "done" }]);
  const detached = await quickswarm(at, ["run", "quick.js", "--detach", "--json"]);
  expect(JSON.parse(detached.out)).toMatchObject({ created: true, run: { name: "quick.js" } });
});

test("S-013 waiting for what was complete before gives its record again", async () => {
  const at = place({ "quick.js": QUICK });
  await startGateway(at);
  const runId = await submit(at, "quick.js");
  const first = await quickswarm(at, ["wait", runId, "--all", "--json"]);
  const second = await quickswarm(at, ["wait", runId, "--all", "--json"]);
  expect(first.code).toBe(0);
  expect(second).toEqual(first);
});

test("I-003 wait --all comes back when everything is complete, and by its exit code says what failed", async () => {
  const at = place({ "quick.js": QUICK, "slow.js": SLOW, "bad.js": 'throw new Error("bad")' });
  await startGateway(at);
  const ids = [await submit(at, "slow.js"), await submit(at, "quick.js")];
  const both = await quickswarm(at, ["wait", ...ids, "--all", "--json"]);
  expect(both.code).toBe(0);
  const answer = waitAnswerSchema.parse(JSON.parse(both.out));
  expect(answer.pending).toEqual([]);
  expect(answer.completed.map((record) => record.runId).sort()).toEqual([...ids].sort());
  const bad = await submit(at, "bad.js");
  expect((await quickswarm(at, ["wait", bad])).code).toBe(1);
});

test("S-011 I-003 wait without a completion in time exits with 75 and says what is going on", async () => {
  const at = place({ "hangs.js": HANGS });
  await startGateway(at);
  const runId = await submit(at, "hangs.js");
  const { code, out } = await quickswarm(at, ["wait", runId, "--timeout", "0.2", "--json"]);
  expect(code).toBe(75);
  expect(JSON.parse(out)).toMatchObject({ completed: [], pending: [runId] });
});

test("S-016 stop ends a run with its children; stopping it again is refused with wrong_state", async () => {
  const at = place({ "hangs.js": HANGS });
  await startGateway(at);
  const following = start(at, ["run", "hangs.js"]);
  const said = await following.says("begun");
  expect(said).toContain("begun");
  const { rows } = JSON.parse((await quickswarm(at, ["ls", "--json"])).out);
  const stopped = await quickswarm(at, ["stop", rows[0].runId, "--reason", "enough", "--json"]);
  expect(stopped.code).toBe(0);
  expect(JSON.parse(stopped.out)).toEqual({ stopped: rows[0].runId, cancelledChildren: 1 });
  const ended = await following.ended;
  expect(ended.code).toBe(7);
  expect(ended.err).toContain("1 killed");
  const again = await quickswarm(at, ["stop", rows[0].runId]);
  expect(again).toMatchObject({ code: 4, err: expect.stringContaining("error[wrong_state]") });
});

test("I-002 I-003 logs -f follows a run to its end, as lines and as one event a line", async () => {
  const at = place({ "slow.js": SLOW });
  await startGateway(at);
  const runId = await submit(at, "slow.js");
  const [lines, events] = await Promise.all([
    quickswarm(at, ["logs", "-f", runId]),
    quickswarm(at, ["logs", "-f", runId, "--json"]),
  ]);
  expect(lines.out).toBe("log      begun\ndone     one\nended    done\n");
  const parsed = events.out
    .trim()
    .split("\n")
    .map((line) => swarmEventSchema.parse(JSON.parse(line)));
  const types = parsed.map((event) => event.type);
  expect([types[0], types.at(-1)]).toEqual(["run.created", "run.ended"]);
  expect(types.slice(1, -1).sort()).toEqual(["child.ended", "child.spawned", "child.started", "run.note"]);
  expect(parsed.every((event, index) => index === 0 || event.seq > (parsed[index - 1]?.seq ?? 0))).toBe(true);
});

test("I-003 Ctrl-C leaves a run to the gateway that has it", async () => {
  const at = place({ "slow.js": SLOW });
  await startGateway(at);
  const command = start(at, ["run", "slow.js"]);
  await command.says("begun");
  command.process.kill("SIGINT");
  const { code, err } = await command.ended;
  expect(code).toBe(130);
  const runId = /detached: (run_\S+) goes on in the gateway/.exec(err)?.[1] ?? "";
  expect((await quickswarm(at, ["wait", runId])).code).toBe(0);
});

test("R-004 I-003 run goes on over a gateway that is killed with kill -9 and started again", async () => {
  const at = place({ "slow.js": SLOW });
  const gateway = await startGateway(at);
  const command = start(at, ["run", "slow.js"]);
  await command.says("begun");
  gateway.process.kill("SIGKILL");
  await gateway.ended;
  const port = new URL(gateway.url).port;
  const again = start(at, ["gateway", "--port", port]);
  await again.says("answers at");
  expect(await command.ended).toMatchObject({ code: 0, out: '"through"\n' });
});

test("R-010 I-005 a second gateway on the same data directory is refused and names the first one", async () => {
  const at = place();
  const gateway = await startGateway(at);
  const { code, err } = await quickswarm(at, ["gateway", "--port", "0"]);
  expect(code).toBe(4);
  expect(err).toContain("error[database_locked]");
  expect(err).toContain(String(gateway.process.pid));
});

test("I-005 a gateway that is stopped is told of with its process id, by commands and by doctor", async () => {
  const at = place({ "quick.js": QUICK });
  const gateway = await startGateway(at);
  const { pid } = gateway.process;
  gateway.process.kill("SIGSTOP");
  const [submitted, looked] = await Promise.all([
    quickswarm(at, ["submit", "quick.js"]),
    quickswarm(at, ["doctor", "--json"]),
  ]);
  gateway.process.kill("SIGCONT");
  expect(submitted.code).toBe(6);
  expect(submitted.err).toContain(`process ${pid}, does not answer`);
  expect(submitted.err).toContain(`kill -CONT ${pid}`);
  const { checks } = JSON.parse(looked.out) as { checks: { name: string; status: string; detail: string }[] };
  expect(checks.find(({ name }) => name === "gateway")).toMatchObject({
    status: "fail",
    detail: expect.stringContaining(`process ${pid}, does not answer`),
  });
  expect((await quickswarm(at, ["run", "quick.js"])).code).toBe(0);
});

test("I-005 a port that is taken by something else is told with what to do", async () => {
  const first = await startGateway(place());
  const { code, err } = await quickswarm(place(), ["gateway", "--port", new URL(first.url).port]);
  expect(code).toBe(4);
  expect(err).toContain("error[port_in_use]");
});

test("C-010 I-005 a token from the environment is used and printed nowhere, nor is the one of the data directory", async () => {
  const token = "a-token-given-from-outside";
  const at = place({ "quick.js": QUICK });
  const outside = { ...at, env: { QUICKSWARM_TOKEN: token } };
  const gateway = await startGateway(outside);
  const good = await quickswarm(outside, ["run", "quick.js"]);
  expect(good.code).toBe(0);
  const wrong = await quickswarm({ ...at, env: { QUICKSWARM_TOKEN: "another-token-altogether" } }, ["ls"]);
  expect(wrong).toMatchObject({ code: 4, err: expect.stringContaining("error[unauthorized]") });
  gateway.process.kill("SIGTERM");
  const ended = await gateway.ended;
  const own = await startGateway(at);
  const kept = readFileSync(join(at.dataDir, "token"), "utf8").trim();
  const listed = await quickswarm(at, ["ls", "--url", own.url]);
  expect(listed.code).toBe(0);
  const said = [good, wrong, ended, listed].map((one) => one.out + one.err).join("");
  expect(said).not.toContain(token);
  expect(said).not.toContain(kept);
});

test("I-003 a run in one terminal is seen from another one, although no gateway was started", async () => {
  const at = place({ "hangs.js": HANGS });
  const command = start(at, ["run", "hangs.js"]);
  await command.says("begun");
  const listed = JSON.parse((await quickswarm(at, ["ls", "--json"])).out);
  expect(listed.rows).toMatchObject([{ state: "waiting", children: { running: 1 } }]);
  expect((await quickswarm(at, ["stop", listed.rows[0].runId])).code).toBe(0);
  expect((await command.ended).code).toBe(7);
});
