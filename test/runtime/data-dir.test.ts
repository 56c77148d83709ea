import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDataDir } from "../../src/runtime/data-dir.ts";
import { tempDir } from "../support/temp.ts";

test("I-005 a data directory is made with its parents, for its owner alone", () => {
  const dir = join(tempDir(), "a", "b", "c");
  makeDataDir(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  makeDataDir(dir);
});

test("I-005 a path that is no folder, or below a file, is refused with the reason and what to do", () => {
  const dir = tempDir();
  writeFileSync(join(dir, "file"), "");
  for (const path of [join(dir, "file"), join(dir, "file", "below")]) {
    expect(() => makeDataDir(path)).toThrow(
      expect.objectContaining({ code: "storage_io", next: expect.stringContaining("--data") }),
    );
  }
});

test("I-005 a folder that cannot be made is refused at once, also where the file system answers that it is not there", () => {
  expect(() => makeDataDir("/proc/no-such-folder/data")).toThrow(expect.objectContaining({ code: "storage_io" }));
});

test("I-005 a folder that another start makes meanwhile is no error", () => {
  const dir = join(tempDir(), "shared");
  mkdirSync(dir);
  expect(() => makeDataDir(dir)).not.toThrow();
});
