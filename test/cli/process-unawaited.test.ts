// Children that a script spawns and does not await: `run` stays for them where its gateway ends with it.

import { expect, test } from "vitest";
import { quickswarm, start, startGateway } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

function place(files: { [path: string]: string }) {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data` };
}

const FAILS = 'log("begun");\nagents.spawn("x", { label: "late", model: "offline:fail@1500ms" });\nreturn 1';
const HANGS = 'agents.spawn("x", { label: "never", model: "offline:hang" });\nreturn 1';

test("D-010 run waits for a child that was not awaited before it closes its own gateway, and tells its failure", async () => {
  const at = place({ "fails.js": FAILS });
  const { code, out, err } = await quickswarm(at, ["run", "fails.js", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ census: { failed: 1, problems: [{ label: "late", status: "failed" }] } });
  expect(err).toContain("waiting for 1 child that the script did not await; Ctrl-C leaves it parked\n");
  const plain = await quickswarm(at, ["run", "fails.js"]);
  expect(plain).toMatchObject({ code: 0, out: "1\n" });
  expect(plain.err).toMatch(/done, but not every child succeeded in \S+, 1 child: 0 done, 1 failed/);
  expect(plain.err.split("log      begun")).toHaveLength(2);
});

test("D-010 I-003 Ctrl-C in that wait prints the result, parks the child and exits with 130; resume goes on with it", async () => {
  const at = place({ "hangs.js": HANGS });
  const command = start(at, ["run", "hangs.js"]);
  await command.says("waiting for 1 child");
  command.process.kill("SIGINT");
  const { code, out, err } = await command.ended;
  expect({ code, out }).toEqual({ code: 130, out: "1\n" });
  expect(err).toContain("1 still running");
  const runId = /1 child is parked; go on with `quickswarm resume (run_\S+)`/.exec(err)?.[1] ?? "";
  const again = start(at, ["resume", runId]);
  await again.says("waiting for 1 child");
  again.process.kill("SIGINT");
  expect((await again.ended).code).toBe(130);
});

test("D-010 with a gateway of its own run does not wait, and says how many children are still running", async () => {
  const at = place({ "hangs.js": HANGS });
  await startGateway(at);
  const { code, out, err } = await quickswarm(at, ["run", "hangs.js"]);
  expect({ code, out }).toEqual({ code: 0, out: "1\n" });
  expect(err).toMatch(/done, but not every child has ended in \S+, 1 child: 1 still (running|queued)/);
  expect(err).not.toContain("waiting for");
});
