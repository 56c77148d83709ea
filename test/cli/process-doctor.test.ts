// `doctor`: what it finds, in a data directory that is well and in damaged ones.

import { closeSync, existsSync, openSync, truncateSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { quickswarm, startGateway } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

function place(files: { [path: string]: string } = {}) {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data` };
}

interface Found {
  name: string;
  status: string;
  detail: string;
}

async function database(at: { cwd: string; dataDir: string }) {
  const { code, out } = await quickswarm(at, ["doctor", "--json"]);
  const checks: Found[] = JSON.parse(out).checks;
  return { code, check: checks.find((one) => one.name === "database") };
}

test("I-003 doctor reads a page of runs from the database, by itself or through the gateway that holds it", async () => {
  const at = place({ "one.js": "return 1" });
  expect((await database(at)).check).toMatchObject({ status: "ok", detail: "made at the first start" });
  expect(existsSync(at.dataDir)).toBe(false);
  await quickswarm(at, ["run", "one.js"]);
  const alone = await database(at);
  expect(alone).toMatchObject({ code: 0, check: { status: "ok", detail: "opens, and a page of 1 run was read" } });
  await startGateway(at);
  const held = await database(at);
  expect(held).toMatchObject({
    code: 0,
    check: { status: "ok", detail: "a page of 1 run was read through the gateway" },
  });
});

test("I-005 doctor finds a damaged database, names the fault and exits with 1", async () => {
  const at = place({ "one.js": "return 1" });
  await quickswarm(at, ["run", "one.js"]);
  const file = `${at.dataDir}/quickswarm.db`;
  truncateSync(file, 8192);
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, 0);
  closeSync(handle);
  const { code, check } = await database(at);
  expect({ code, status: check?.status }).toEqual({ code: 1, status: "fail" });
  expect(check?.detail).toContain("error[database_damaged]");
});

test("I-003 doctor runs a script with one child and finds nothing wrong", async () => {
  const { code, out } = await quickswarm(place(), ["doctor", "--json"]);
  const { ok, checks } = JSON.parse(out);
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(checks.find((check: { name: string }) => check.name === "self-test")).toMatchObject({ status: "ok" });
});

test("I-005 doctor says what is wrong with the configuration and with the data directory, and exits with 1", async () => {
  const broken = place({ "data/config.json5": "{ logLevel: 3 }" });
  expect(await quickswarm(broken, ["doctor"])).toMatchObject({ code: 1, out: expect.stringContaining("logLevel") });
  const blocked = place({ data: "a file where the folder should be" });
  const { code, out } = await quickswarm(blocked, ["doctor"]);
  expect(code).toBe(1);
  expect(out).toContain("is not a folder");
});
