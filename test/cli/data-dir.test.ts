// A data directory that cannot be written, in the words of each command.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { withFolder } from "../../src/cli/data-dir.ts";
import { fault } from "../../src/contract/fault.ts";
import { mountSmallDisk, whyNoSmallDisk } from "../crash/support/small-disk.ts";
import { quickswarm } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

const NEXT = "next: Choose another one with --data, or give this user the right to write there.";

test("I-005 a data directory below a file is told with its name and the reason, by every command that opens it", async () => {
  const cwd = folderWith({ "one.js": "return 1", file: "text" });
  const dataDir = `${cwd}/file/data`;
  for (const args of [["run", "one.js"], ["ls"], ["gateway", "--port", "0"]]) {
    const { code, err } = await quickswarm({ cwd, dataDir }, args);
    expect(code).toBe(5);
    expect(err).toContain(
      `error[storage_io]: the data directory ${dataDir} cannot be used: ${cwd}/file is not a folder`,
    );
    expect(err).toContain(NEXT);
  }
});

test("I-005 another storage error stays as it was", async () => {
  const cwd = folderWith();
  for (const error of [fault("storage_io", "elsewhere"), fault("storage_full", "full"), new TypeError("x")]) {
    expect(await withFolder(error, `${cwd}/data`)).toBe(error);
  }
});

if (whyNoSmallDisk() === undefined) {
  test("I-005 a data directory on a read-only file system is told as that", async () => {
    const { path } = mountSmallDisk(8);
    const cwd = folderWith({ "one.js": "return 1" });
    expect((await quickswarm({ cwd, dataDir: `${path}/data` }, ["run", "one.js"])).code).toBe(0);
    expect(spawnSync("mount", ["-o", "remount,ro", path]).status).toBe(0);
    for (const args of [["run", "one.js"], ["ls"]]) {
      const { code, err } = await quickswarm({ cwd, dataDir: `${path}/data` }, args);
      expect(code).toBe(5);
      expect(err).toContain(`cannot be used: ${path}/data is on a file system that is mounted read-only`);
      expect(err).toContain(NEXT);
    }
  });

  test("I-005 a disk without space for a new data directory is a failure to the doctor", async () => {
    const disk = mountSmallDisk(2);
    const { code, out } = await quickswarm({ cwd: folderWith(), dataDir: `${disk.path}/data` }, ["doctor", "--json"]);
    expect(code).toBe(1);
    const { checks } = JSON.parse(out) as { checks: { name: string }[] };
    expect(checks.find(({ name }) => name === "disk space")).toMatchObject({ status: "fail" });
  });
}
