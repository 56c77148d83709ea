import { spawnSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "../../scripts/source/tree.ts";

interface FileReport {
  name: string;
  status: string;
  message: string;
}

let files: FileReport[] = [];

beforeAll(() => {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/fixtures/leaks/vitest.config.ts"];
  const { VITEST: _inner, ...env } = process.env;
  const done = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8", env });
  files = JSON.parse(done.stdout.slice(done.stdout.indexOf("{"))).testResults;
});

function reportOf(name: string): FileReport | undefined {
  return files.find((file) => file.name.endsWith(`/${name}.fixture.ts`));
}

test.each([
  ["timer", "1 × timer"],
  ["server", "1 × TCPServerWrap"],
  ["child", "1 × ProcessWrap"],
  ["worker", "1 × worker thread"],
  ["folder", "temp folder quickswarm-fixture-"],
])("a test file that leaves a %s behind fails and says so", (name, words) => {
  expect(reportOf(name)).toMatchObject({ status: "failed", message: expect.stringContaining(words) });
});

test("a test file that ends what it opened passes", () => {
  expect(reportOf("clean")).toMatchObject({ status: "passed" });
});
