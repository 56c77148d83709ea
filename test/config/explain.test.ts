import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { explainConfig } from "../../src/config/explain.ts";
import type { ExplainedField } from "../../src/config/explained.ts";
import { loadSettings } from "../../src/config/load.ts";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "quickswarm-explain-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function explain(text: string, env: { [name: string]: string } = {}, port?: string): Map<string, ExplainedField> {
  writeFileSync(join(dataDir, "config.json5"), text);
  const loaded = loadSettings({ overrides: { dataDir, port }, env, cwd: dataDir, homeDir: dataDir });
  return new Map(explainConfig(loaded).map((row) => [row.path, row]));
}

test("C-010 every field is listed with its value and that it is a default", () => {
  const rows = explain("{}");
  expect(rows.get("tools.swarm.maxConcurrent")).toEqual({
    path: "tools.swarm.maxConcurrent",
    value: 8,
    from: "default",
  });
  const listed = [...rows.values()].filter((row) => row.path !== "dataDir");
  expect(listed.every((row) => row.from === "default")).toBe(true);
  for (const path of ["gateway.port", "limits.vmWorkers", "tools.codeMode.timeoutMs", "offlineSlowMs", "logLevel"]) {
    expect(rows.has(path), path).toBe(true);
  }
});

test("C-010 a value's origin is the flag, the variable or the file that gave it", () => {
  const rows = explain("{ logLevel: 'warn', gateway: { host: 'a', port: 1 } }", { QUICKSWARM_HOST: "b" }, "3");
  expect(rows.get("gateway.port")).toMatchObject({ value: 3, from: "flag", name: "--port" });
  expect(rows.get("gateway.host")).toMatchObject({ value: "b", from: "env", name: "QUICKSWARM_HOST" });
  expect(rows.get("logLevel")).toMatchObject({ value: "warn", from: "file", name: join(dataDir, "config.json5") });
  expect(rows.get("dataDir")).toMatchObject({ value: dataDir, from: "flag", name: "--data" });
});

test("C-010 the token is masked, wherever it came from", () => {
  const token = "a-secret-of-good-length";
  const rows = explain("{}", { QUICKSWARM_TOKEN: token });
  expect(rows.get("gateway.token")).toMatchObject({ from: "env", name: "QUICKSWARM_TOKEN" });
  expect(JSON.stringify([...rows.values()])).not.toContain(token);
});

test("C-003 C-010 a clamped number says from what and to which range", () => {
  const rows = explain("{ tools: { swarm: { maxConcurrent: 5000 }, codeMode: { timeoutMs: 1 } } }");
  expect(rows.get("tools.swarm.maxConcurrent")).toMatchObject({
    value: 1000,
    from: "file",
    note: "clamped from 5000 to the range 1 to 1000",
  });
  expect(rows.get("tools.codeMode.timeoutMs")).toMatchObject({ value: 100, note: expect.stringContaining("from 1 ") });
});

test("C-001 C-010 a switch written as true or false shows as the field enabled", () => {
  const rows = explain("{ tools: { swarm: true, codeMode: false } }");
  expect(rows.get("tools.swarm.enabled")).toMatchObject({ value: true, from: "file" });
  expect(rows.get("tools.codeMode.enabled")).toMatchObject({ value: false, from: "file" });
  expect(rows.get("tools.codeMode.timeoutMs")).toMatchObject({ value: 10_000, from: "default" });
});

test("C-004 C-010 an agent's fields say which are its own and which are the global ones", () => {
  const rows = explain(
    "{ tools: { swarm: { maxConcurrent: 3 } }, agents: { reader: { tools: { swarm: { maxTotalPerGroup: 9 } } } } }",
  );
  expect(rows.get("agents.reader.tools.swarm.maxTotalPerGroup")).toMatchObject({ value: 9, from: "file" });
  expect(rows.get("agents.reader.tools.swarm.maxTotalPerGroup")?.note).toBeUndefined();
  expect(rows.get("agents.reader.tools.swarm.maxConcurrent")).toMatchObject({ value: 3, note: "as tools.swarm" });
  expect(rows.get("agents.reader.model")).toMatchObject({ value: null, note: "as defaultModel" });
});
