// tools.mcp and an agent's own tools: what is refused, what is resolved, and that no secret is shown.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkConfig, problemText } from "../../src/config/check.ts";
import { explainConfig } from "../../src/config/explain.ts";
import { type LoadedSettings, loadSettings } from "../../src/config/load.ts";
import { isToolAllowed } from "../../src/contract/tools.ts";
import { tempDir } from "../support/temp.ts";

function lines(raw: unknown): string[] {
  return checkConfig(raw).problems.map(problemText);
}

function load(file: object, env: { [name: string]: string } = {}): LoadedSettings {
  const dataDir = tempDir();
  writeFileSync(join(dataDir, "config.json5"), JSON.stringify(file));
  return loadSettings({ overrides: { dataDir }, env, cwd: dataDir, homeDir: dataDir });
}

/** As a file names a variable of the environment. */
const variable = (name: string): string => ["$", "{", name, "}"].join("");

const PROGRAM = { command: "node", args: ["server.mjs"] };

test("C-001 tools.mcp takes programs and addresses, and names what it does not know", () => {
  expect(lines({ tools: { mcp: { files: PROGRAM, web: { url: "https://tools.example/mcp" } } } })).toEqual([]);
  expect(lines({ tools: { mcp: { files: { ...PROGRAM, aproval: "always" } } } })).toEqual([
    'tools.mcp.files.aproval: unknown key "aproval"; did you mean "approval"?',
  ]);
  expect(lines({ tools: { mcpp: {} } })).toEqual(['tools.mcpp: unknown key "mcpp"; did you mean "mcp"?']);
});

test("C-001 a server is either a program or an address, and has what belongs to it", () => {
  const expected = (mcp: object) => lines({ tools: { mcp: { one: mcp } } });
  expect(expected({})).toEqual(["tools.mcp.one: got an object, expected either a command or a url"]);
  expect(expected({ ...PROGRAM, url: "http://a" })).toContain(
    "tools.mcp.one: got an object, expected either a command or a url",
  );
  expect(expected({ url: "http://a", env: { A: "b" } })).toEqual([
    "tools.mcp.one.env: got a value that is not shown, expected no env beside a url",
  ]);
});

test("C-001 the name host belongs to the host's own tools, and names are plain", () => {
  expect(lines({ tools: { mcp: { host: PROGRAM } } })).toEqual([
    expect.stringContaining('tools.mcp.host: got "host", expected a name of letters'),
  ]);
  expect(lines({ tools: { mcp: { "a.b": PROGRAM } } })).toEqual([expect.stringContaining('other than "host"')]);
});

test("C-001 an agent's tools are a list of patterns, or an object with one", () => {
  for (const tools of [["files.read"], ["*"], ["files.*"], { allow: ["files.read"], swarm: false }, { swarm: true }]) {
    expect(lines({ agents: { a: { tools } } })).toEqual([]);
  }
  expect(lines({ agents: { a: { tools: ["read"] } } })).toEqual([
    expect.stringContaining('agents.a.tools[0]: got "read", expected tools as "server.tool"'),
  ]);
  expect(lines({ agents: { a: { tools: { alow: [] } } } })).toEqual([
    'agents.a.tools.alow: unknown key "alow"; did you mean "allow"?',
  ]);
  const agents = {
    a: { tools: ["files.*"], maxSteps: 3, thinking: "low", fastMode: "auto" },
    b: { tools: { swarm: false } },
  };
  const { settings } = load({ agents });
  expect(settings.agents.a).toMatchObject({ tools: ["files.*"], maxSteps: 3, thinking: "low", fastMode: "auto" });
  expect(settings.agents.b).toMatchObject({ tools: undefined, maxSteps: 50 });
  expect(settings.swarmFor("b").enabled).toBe(false);
});

test("C-010 a value may name a variable, which has to be set; no secret stands in a message or a listing", () => {
  const token = "canary-3f92";
  const mcp = {
    files: { ...PROGRAM, env: { TOKEN: variable("FILES_TOKEN"), PLAIN: token }, cwd: "work" },
    web: { url: "https://tools.example/mcp", headers: { Authorization: `Bearer ${variable("WEB_TOKEN")}` } },
  };
  expect(() => load({ tools: { mcp } }, { FILES_TOKEN: token })).toThrow(
    `got ${variable("WEB_TOKEN")}, expected the variable WEB_TOKEN of the environment to be set`,
  );
  const loaded = load({ tools: { mcp } }, { FILES_TOKEN: token, WEB_TOKEN: token });
  const { files, web } = loaded.settings.tools?.servers ?? {};
  expect(files?.transport.kind === "stdio" && files.transport.env.TOKEN?.reveal()).toBe(token);
  expect(web?.transport.kind === "http" && web.transport.headers.Authorization?.reveal()).toBe(`Bearer ${token}`);
  const rows = JSON.stringify(explainConfig(loaded));
  expect(rows).not.toContain(token);
  expect(rows).toContain("tools.mcp.files.env.TOKEN");
  expect(lines({ tools: { mcp: { files: { ...PROGRAM, env: { A: [token] } } } } }).join()).not.toContain(token);
  expect(lines({ tools: { mcp: { files: { ...PROGRAM, args: token } } } }).join()).not.toContain(token);
});

test("C-010 an address with a user or a query is refused and not shown", () => {
  const mcp = { web: { url: "https://me:canary@tools.example/mcp" } };
  expect(() => load({ tools: { mcp } })).toThrow("tools.mcp.web.url: got a value that is not shown, expected");
});

test("a pattern allows by star for any part, and nothing else", () => {
  expect(isToolAllowed("files.read", ["*"])).toBe(true);
  expect(isToolAllowed("files.read", ["files.*"])).toBe(true);
  expect(isToolAllowed("files.read_all", ["files.read"])).toBe(false);
  expect(isToolAllowed("files.read_all", ["*.read*"])).toBe(true);
  expect(isToolAllowed("files.read", ["files.*re*d"])).toBe(true);
  expect(isToolAllowed("files.r", ["files.*r*r"])).toBe(false);
  expect(isToolAllowed("files.read", [])).toBe(false);
});
