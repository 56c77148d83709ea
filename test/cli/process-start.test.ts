// What would break if a person mistyped, piped, or only wanted the version?

import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { explainConfig } from "../../src/config/explain.ts";
import { loadSettings } from "../../src/config/load.ts";
import { EXIT } from "../../src/contract/fault-table.ts";
import { quickswarm, start, startNode } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

function place(files: { [path: string]: string } = {}) {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data` };
}

const TRACE = fileURLToPath(new URL("./support/trace-loads.mjs", import.meta.url));

const INTERRUPT = new URL("../../dist/cli/interrupt.js", import.meta.url).href;

test("I-003 --version prints the version and loads neither schemas, configuration nor gateway", async () => {
  const traced = await start(place(), ["--version"], "", ["--import", TRACE]).ended;
  expect(traced).toMatchObject({ code: 0, out: `${manifest.version}\n` });
  const loaded = traced.err.match(/(?<=loads file:\/\/).*/g) ?? [];
  expect(loaded.some((path) => path.includes("/commander/"))).toBe(true);
  const heavy =
    /\/(?:zod|json5|hono|pino|better-sqlite3|cli-table3|log-update)\/|dist\/(?:gateway|runtime|config|cli\/commands)\//;
  expect(loaded.filter((path) => heavy.test(path))).toEqual([]);
});

test("I-003 --help lists every command and every exit code", async () => {
  const { code, out } = await quickswarm(place(), ["--help"]);
  expect(code).toBe(0);
  const commands = "run submit resume ls show groups group wait stop logs gateway backup doctor config".split(" ");
  for (const command of commands) expect(out).toMatch(new RegExp(`^  ${command} `, "m"));
  for (const exitCode of Object.values(EXIT)) expect(out).toMatch(new RegExp(`^  ${exitCode} +\\S`, "m"));
});

test("I-003 every command has its own help with --json and the other global options", async () => {
  const { code, out } = await quickswarm(place(), ["wait", "--help"]);
  expect(code).toBe(0);
  for (const part of ["--timeout", "--all", "--json", "--data", "--config"]) expect(out).toContain(part);
});

test("I-005 without a command the help is shown and the exit code says that something was missing", async () => {
  const { code, out, err } = await quickswarm(place(), []);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("Commands:");
});

test("I-005 --json without a command is one error document on stdout", async () => {
  const { code, out } = await quickswarm(place(), ["--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({ error: { code: "bad_request", next: expect.stringContaining("--help") } });
});

test("S-011 I-005 wait refuses more ids than it takes, with the number, before a gateway is looked for", async () => {
  const ids = Array.from({ length: 1_001 }, (_, index) => `run_${index}`);
  const { code, err } = await quickswarm(place(), ["wait", ...ids]);
  expect(code).toBe(2);
  expect(err).toContain("error[bad_request]: wait takes at most 1000 ids at once; 1001 were given\n");
});

test.each([
  [["rnu", "x.js"], "bad_request", "Did you mean run?"],
  [["ls", "--jsn"], "option_unknown", "Did you mean --json?"],
  [["run"], "bad_request", "missing required argument"],
  [["run", "a.js", "b.js"], "bad_request", "too many arguments"],
  [["ls", "--limit", "many"], "option_type", "positive integer"],
  [["ls", "--state", "sleeping"], "option_type", "quarantined"],
  [["run", "--args"], "option_type", "argument missing"],
  [["wait", "run_x", "--timeout", "-1"], "option_type", "positive number"],
])("I-005 %j is refused with a code, a hint and exit code 2", async (args, code, hint) => {
  const { code: exitCode, out, err } = await quickswarm(place(), args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toMatch(new RegExp(`^error\\[${code}\\]: .*\nnext: `));
  expect(err).toContain(hint);
});

test("I-005 a mistyped option under --json is one document on stdout", async () => {
  const { code, out, err } = await quickswarm(place(), ["ls", "--json", "--limt", "3"]);
  expect({ code, err }).toEqual({ code: 2, err: "" });
  expect(JSON.parse(out)).toEqual({
    error: { code: "option_unknown", message: expect.stringContaining("--limit"), next: expect.any(String) },
  });
});

test("C-010 config prints every field with its value and origin, and no secret", async () => {
  const token = "a-secret-of-good-length";
  const at = { ...place({ "data/config.json5": "{ logLevel: 'warn', tools: { swarm: { maxConcurrent: 5000 } } }" }) };
  const { code, out } = await quickswarm({ ...at, env: { QUICKSWARM_TOKEN: token } }, [
    "config",
    "--json",
    "--port",
    "0",
  ]);
  expect(code).toBe(0);
  const { file, fields, warnings } = JSON.parse(out);
  expect(file).toBe(`${at.dataDir}/config.json5`);
  expect(warnings).toEqual([]);
  const rows = new Map<string, object>(fields.map((field: { path: string }) => [field.path, field]));
  const expected = explainConfig(loadSettings({ overrides: { dataDir: at.dataDir }, env: {}, cwd: at.cwd }));
  expect([...rows.keys()]).toEqual(expected.map((row) => row.path));
  expect(rows.get("gateway.port")).toMatchObject({ value: 0, from: "flag", name: "--port" });
  expect(rows.get("dataDir")).toMatchObject({ from: "env", name: "QUICKSWARM_DATA_DIR" });
  expect(rows.get("logLevel")).toMatchObject({ value: "warn", from: "file" });
  expect(rows.get("tools.swarm.maxConcurrent")).toMatchObject({ value: 1000, note: expect.stringContaining("5000") });
  expect(out).not.toContain(token);
});

test("C-010 config as a table has one line for each field, and says which file was read", async () => {
  const at = place({ "data/config.json5": "{ logLevel: 'warn' }" });
  const { code, out, err } = await quickswarm(at, ["config"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^logLevel +warn +file$/m);
  expect(out).toMatch(/^gateway\.port +7976 +default$/m);
  expect(err).toContain(`${at.dataDir}/config.json5`);
});

test("C-001 I-005 a mistake in the configuration stops every command, names key and path, and suggests the right one", async () => {
  const at = place({ "data/config.json5": "{ tools: { swarm: { maxConcurent: 3 } }, gateway: { port: 'x' } }" });
  for (const command of [["ls"], ["gateway"], ["config"]]) {
    const { code, err } = await quickswarm(at, command);
    expect(code).toBe(2);
    expect(err).toContain('tools.swarm.maxConcurent: unknown key "maxConcurent"; did you mean "maxConcurrent"?');
    expect(err).toContain('gateway.port: got "x", expected an integer from 0 to 65535');
  }
});

test("I-005 a gateway that is not there is told with what to do, exit code 6", async () => {
  const at = place({ "a.js": "return 1" });
  for (const args of [
    ["submit", "a.js"],
    ["run", "a.js", "--detach"],
  ]) {
    const { code, err } = await quickswarm(at, args);
    expect(code).toBe(6);
    expect(err).toMatch(/^error\[gateway_unreachable\]: .*\nnext: .*quickswarm gateway/);
  }
});

test("C-010 I-005 a mistyped variable of ours is warned about and changes nothing", async () => {
  const at = place();
  const { code, err } = await quickswarm({ ...at, env: { QUICKSWARM_DATADIR: "/elsewhere" } }, ["ls", "--json"]);
  expect(code).toBe(0);
  expect(err).toBe("warning: the variable QUICKSWARM_DATADIR is not read; did you mean QUICKSWARM_DATA_DIR?\n");
});

test("I-005 the local token is not sent to another machine", async () => {
  const at = place({ "data/token": "a-token-of-the-data-directory" });
  const { code, err } = await quickswarm(at, ["ls", "--url", "http://swarm.example:7976"]);
  expect(code).toBe(4);
  expect(err).toContain("error[unauthorized]");
  expect(err).not.toContain("a-token-of");
  expect((await quickswarm(at, ["ls", "--url", "somewhere"])).code).toBe(2);
});

test("I-003 the first Ctrl-C asks for a clean end, the second one ends the process at once", async () => {
  const source = `
    const { watchInterrupt } = await import(${JSON.stringify(INTERRUPT)});
    watchInterrupt().signal.addEventListener("abort", () => console.log("asked"));
    setInterval(() => {}, 1000);
    console.log("ready");`;
  const stubborn = startNode(place(), ["--input-type=module", "--eval", source]);
  await stubborn.says("ready");
  stubborn.process.kill("SIGINT");
  await stubborn.says("asked");
  stubborn.process.kill("SIGINT");
  expect((await stubborn.ended).code).toBe(130);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "I-003 %s before anything is watched ends the command with 130",
  async (signal) => {
    const reading = startNode(place(), [
      "--input-type=module",
      "--eval",
      `const { leaveOnSignal, watchInterrupt } = await import(${JSON.stringify(INTERRUPT)});
       leaveOnSignal();
       watchInterrupt().end();
       setInterval(() => {}, 1000);
       console.log("ready");`,
    ]);
    await reading.says("ready");
    reading.process.kill(signal);
    expect((await reading.ended).code).toBe(130);
  },
);

test("I-003 a reader that goes away early ends the output without an error", async () => {
  const command = start(place(), ["config"]);
  command.process.stdout.destroy();
  expect((await command.ended).code).toBe(0);
});
