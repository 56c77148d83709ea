// Commands that wait, over gateways that are killed, come back elsewhere, or do not come back.

import { expect, test } from "vitest";
import { waitCommand } from "../../src/cli/commands/wait.ts";
import type { Context } from "../../src/cli/context.ts";
import { openLink } from "../../src/cli/link.ts";
import type { LoadedSettings } from "../../src/config/load.ts";
import { type Clock, systemClock } from "../../src/contract/clock.ts";
import { fault } from "../../src/contract/fault.ts";
import type { Settings } from "../../src/contract/settings.ts";
import { RECONNECT_TRIES_MAX } from "../../src/gateway/client/retry.ts";
import { OPERATOR } from "../../src/gateway/listen.ts";
import { EagerClock } from "../support/eager-clock.ts";
import { testGateway, testSettings } from "../support/test-gateway.ts";
import { type Place, quickswarm, start, startGateway } from "./support/command.ts";
import { type FakeIo, fakeIo } from "./support/fake-io.ts";
import { folderWith } from "./support/folder.ts";

const SLOW =
  'log("begun");\nawait agents.run("Wait", { label: "one", model: "offline:echo@3000ms" });\nreturn "through";';
const HANGS = 'log("begun");\nreturn agents.run("Wait for ever", { model: "offline:hang" });';
const AWAY = "the gateway went away; looking for it again";

function place(files: { [path: string]: string }): Place {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data` };
}

/** What a command is handed that runs inside this process. */
function contextIn(settings: Settings, clock: Clock): Context & { io: FakeIo } {
  const load = async () => ({ settings, warnings: [] }) as unknown as LoadedSettings;
  return { io: fakeIo(), clock, cwd: settings.dataDir, json: false, url: undefined, load };
}

async function submit(at: Place, file: string): Promise<string> {
  return (await quickswarm(at, ["submit", file])).out.trim();
}

test("I-002 I-003 logs -f goes on over a kill -9 with a gateway that comes back on another port", async () => {
  const at = place({ "slow.js": SLOW });
  const gateway = await startGateway(at);
  const runId = await submit(at, "slow.js");
  const logs = start(at, ["logs", "-f", runId]);
  await logs.says("begun");
  gateway.process.kill("SIGKILL");
  await logs.says(AWAY);
  const again = await startGateway(at);
  expect(again.url).not.toBe(gateway.url);
  const followed = await logs.ended;
  expect(followed).toMatchObject({ code: 0, err: `${AWAY}\n` });
  // Nothing is printed a second time.
  expect(followed.out.split("begun")).toHaveLength(2);
  expect(followed.out).toMatch(/\nended {4}done\n$/);
});

test("I-002 I-003 S-011 wait goes on with a gateway that comes back on another port", async () => {
  const here = await testGateway();
  const { runId } = await here.runtime.spawn(OPERATOR, { task: "t", collect: true });
  const context = contextIn(here.settings, systemClock);
  const waited = waitCommand(context, [runId], { all: true });
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  await here.gateway.close();
  const again = await testGateway({ runtime: here.runtime, dataDir: here.settings.dataDir });
  expect(again.gateway.url).not.toBe(here.gateway.url);
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  here.runtime.endChild(runId, "after all");
  expect(await waited).toBe(0);
  expect(context.io.out.text()).toContain("after all");
  expect(context.io.err.text()).toBe(`${AWAY}\n`);
});

test("S-011 I-003 wait --timeout keeps its time when the gateway is gone", async () => {
  const here = await testGateway();
  const { runId } = await here.runtime.spawn(OPERATOR, { task: "t", collect: true });
  const context = contextIn(here.settings, systemClock);
  const begun = performance.now();
  const waited = waitCommand(context, [runId], { timeout: 1 });
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  await here.gateway.close();
  expect(await waited).toBe(75);
  expect(context.io.err.text()).toBe(`${AWAY}\nno gateway has answered within the time-out\n`);
  expect(performance.now() - begun).toBeLessThan(15_000);
});

test("I-003 a run takes over at once when the command whose gateway it used has ended", async () => {
  const at = place({ "first.js": `${SLOW}`, "second.js": SLOW.replace("3000", "6000") });
  const first = start(at, ["run", "first.js"]);
  await first.says("begun");
  const second = start(at, ["run", "second.js"]);
  await second.says("begun");
  expect((await first.ended).code).toBe(0);
  const gone = performance.now();
  await second.says(AWAY);
  // Half a minute is for gateways that are started again; this one is not.
  expect(performance.now() - gone).toBeLessThan(5_000);
  expect(await second.ended).toMatchObject({ code: 0, out: '"through"\n' });
});

test("I-003 logs -f of a run whose gateway was part of a command that ended says what to do", async () => {
  const at = place({ "hangs.js": HANGS });
  const run = start(at, ["run", "hangs.js"]);
  const runId = /run_[0-9a-f]{32}/.exec((await quickswarmUntilRun(at, run)).out)?.[0] ?? "";
  const logs = start(at, ["logs", "-f", runId]);
  await logs.says("begun");
  run.process.kill("SIGINT");
  const { code, err } = await logs.ended;
  expect(code).toBe(6);
  expect(err).toContain(`nothing more happens to ${runId}`);
  expect(err).toContain(`quickswarm resume ${runId}`);
});

test("I-003 where no gateway comes back, one is opened in this process after half a minute of looking", async () => {
  const at = place({ "hangs.js": HANGS });
  const gateway = await startGateway(at);
  const clock = new EagerClock();
  const link = await openLink(contextIn(testSettings(at.dataDir), clock), "look");
  expect(link.embedded).toBe(false);
  gateway.process.kill("SIGKILL");
  await gateway.ended;
  const away = fault("gateway_unreachable", "gone");
  await link.renew(away, new AbortController().signal);
  expect(link.embedded).toBe(true);
  expect(clock.pausesMs).toHaveLength(RECONNECT_TRIES_MAX);
  await link.close();
});

/** The list of runs, once `run` has begun. */
async function quickswarmUntilRun(at: Place, run: ReturnType<typeof start>) {
  await run.says("begun");
  return quickswarm(at, ["ls", "--json"]);
}
