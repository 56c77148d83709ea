// A full disk: the write is refused with storage_full, what is stored stays readable, and work goes on
// when there is space again.

import { spawnSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import type { Fault } from "../../src/contract/fault.ts";
import type { Registry } from "../../src/registry/port.ts";
import { AT, codeOf, OWNER, startRun } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, integrityOf, openFor } from "./files.ts";

const ROOMY_PAGES = 1_000_000;
const LARGE_ARGS = `"${"x".repeat(100_000)}"`;

/** Stores runs with large args until one is refused; returns how many were stored and why it ended. */
async function fill(registry: Registry, from: number): Promise<{ stored: number; code: string }> {
  for (let number = from; ; number += 1) {
    const code = await codeOf(startRun(registry, number, { args: LARGE_ARGS }));
    if (code !== "no fault") return { stored: number - from, code };
  }
}

test("at the file's bound a write is refused with storage_full, small ones go on, freed space is used again", async () => {
  const dataDir = tempDir();
  const registry = await openFor(dataDir, { pagesMax: 500 });
  const { stored, code } = await fill(registry, 1);
  expect(code).toBe("storage_full");
  expect(stored).toBeGreaterThan(5);
  expect(await registry.run(`run_${"1".padStart(32, "0")}`, OWNER)).toBeDefined();
  await registry.putSetting("small", "1", AT);
  const error = { code: "run_stopped", message: "", next: "" } as const;
  await registry.endRun(`run_${"1".padStart(32, "0")}`, { state: "killed", error }, true, AT);
  expect(await registry.archiveGroups(AT + 1, AT, 10)).toHaveLength(1);
  expect((await fill(registry, 1_000)).stored).toBeGreaterThan(0);
  await registry.close();
  expect(integrityOf(databaseOf(dataDir))).toBe("ok");
});

test("a neighbour of a write that found no space is kept", async () => {
  const registry = await openFor(tempDir(), { pagesMax: 500 });
  const huge = codeOf(startRun(registry, 1, { args: `"${"x".repeat(3_000_000)}"` }));
  const small = codeOf(startRun(registry, 2));
  expect(await Promise.all([huge, small])).toEqual(["storage_full", "no fault"]);
  const { rows } = await registry.runs(OWNER, { limit: 10 });
  expect(rows).toHaveLength(1);
});

/** A folder with little room that can be given more: a small file system where one may be mounted, else a bound. */
function smallDisk(): { dataDir: string; pagesMax: number; grow(): number } {
  const dataDir = tempDir();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", dataDir]).status === 0;
  if (!mounted) return { dataDir, pagesMax: 500, grow: () => ROOMY_PAGES };
  onTestFinished(() => void spawnSync("umount", [dataDir]));
  return {
    dataDir,
    pagesMax: ROOMY_PAGES,
    grow() {
      spawnSync("mount", ["-o", "remount,size=64m", dataDir]);
      return ROOMY_PAGES;
    },
  };
}

test("on a full disk commits are refused, nothing acknowledged is lost, and space lets it go on", async () => {
  const disk = smallDisk();
  const faults: Fault[] = [];
  const onFault = (fault: Fault): void => void faults.push(fault);
  const registry = await openFor(disk.dataDir, { pagesMax: disk.pagesMax, onFault });
  const { stored, code } = await fill(registry, 1);
  expect(code).toBe("storage_full");
  expect(await codeOf(startRun(registry, 999, { args: LARGE_ARGS }))).toBe("storage_full");
  expect((await registry.runs(OWNER, { limit: 100 })).rows).toHaveLength(stored);
  await registry.close();
  const again = await openFor(disk.dataDir, { pagesMax: disk.grow(), onFault });
  expect((await again.runs(OWNER, { limit: 100 })).rows).toHaveLength(stored);
  for (let number = 500; number < 520; number += 1) await startRun(again, number, { args: LARGE_ARGS });
  expect((await again.runs(OWNER, { limit: 100 })).rows).toHaveLength(stored + 20);
  await again.close();
  expect(integrityOf(databaseOf(disk.dataDir))).toBe("ok");
});
