import { expect, test } from "vitest";
import { planted } from "./plant.ts";
import { barrelViolations } from "./rules/barrels.ts";
import { headerViolations, lawViolations } from "./rules/headers.ts";
import { machineViolations } from "./rules/machine.ts";
import { errorViolations, ownerViolations } from "./rules/owners.ts";

test.each([
  ["src/runtime/a.ts", `import Database from "better-sqlite3";`],
  ["src/swarm/a.ts", `import type { Database } from "better-sqlite3";`],
  ["src/bridge/a.ts", `import variant from "@jitl/quickjs-ng-wasmfile-release-sync";`],
  ["src/runtime/a.ts", `const file = resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm");`],
  ["src/swarm/a.ts", `const { generateText } = await import("ai");`],
  ["src/gateway/a.ts", `import { createOpenAI } from "@ai-sdk/openai";`],
  ["src/cli/a.ts", `import { request } from "node:http";`],
  ["src/runtime/a.ts", `import { connect } from "net";`],
  ["src/cli/a.ts", `import { Hono } from "hono/tiny";`],
  ["src/cli/a.ts", `import { McpServer } from "@modelcontextprotocol/server";`],
  ["src/contract/a.ts", `import { readFileSync } from "node:fs";`],
  ["src/registry/a.ts", `import { Worker } from "node:worker_threads";`],
  ["src/models/a.ts", `import { Worker } from "node:worker_threads";`],
  ["src/gateway/a.ts", `import { createOpenRouter } from "@openrouter/ai-sdk-provider";`],
  ["src/swarm/a.ts", `import { setTimeout as sleep } from "node:timers/promises";`],
  ["src/cli/a.ts", `import { env } from "node:process";`],
  ["src/cli/check/check.ts", `const typescript = await import("typescript/unstable/async");`],
])("a package outside its owner is refused: %s %s", (path, text) => {
  expect(planted(ownerViolations, { [path]: text })).not.toEqual([]);
});

test.each([
  ["src/cli/a.ts", "const home = process.env.HOME;"],
  ["src/cli/a.ts", `const home = process["env"];`],
  ["src/vm/a.ts", "const { env } = process;"],
  ["src/vm/a.ts", "const now = Date.now();"],
  ["src/vm/a.ts", "const options = { now: Date.now };"],
  ["src/config/a.ts", "const now = new Date();"],
  ["src/swarm/a.ts", "const t = performance.now();"],
  ["src/swarm/a.ts", "const r = Math.random();"],
  ["src/swarm/a.ts", "setTimeout(() => {}, 5);"],
  ["src/swarm/a.ts", "globalThis.setInterval(() => {}, 5);"],
  ["src/gateway/a.ts", `import { randomUUID } from "node:crypto";`],
  ["src/registry/a.ts", "const key = crypto.randomBytes(4);"],
  ["src/swarm/a.ts", "const answer = await fetch(url);"],
  ["src/swarm/a.ts", "say(`at ${Date.now()}`);"],
])("a use of the outside without its owner is refused: %s %s", (path, text) => {
  expect(planted(ownerViolations, { [path]: text })).toHaveLength(1);
});

test("the owners may, and so may what only looks like it", () => {
  const files = {
    "src/registry/a.ts": `import Database from "better-sqlite3";`,
    "src/gateway/a.ts": `import { Hono } from "hono";\nconst a = await fetch(url);\nconst b = app.fetch(a);`,
    "src/config/a.ts": "const home = process.env.HOME;",
    "src/contract/clock.ts": `import { randomBytes } from "node:crypto";\nconst t = Date.now();`,
    "src/vm/a.ts": 'const guest = "Date.now()";\nconst more = `setTimeout(${guest})`;\n// Math.random()\n',
    "src/swarm/a.ts": "const at = new Date(clock.now());\nclock.setTimeout(1);",
    "test/vm/a.test.ts": "const t = Date.now();",
  };
  expect(planted(ownerViolations, files)).toEqual([]);
});

test("a bare error in the product is refused, in a test it is not", () => {
  const text = `throw new Error("no");\n`;
  const fault = `throw fault("not_found", "no run");\nconst is = error instanceof Error;\n`;
  expect(planted(errorViolations, { "src/swarm/a.ts": text })).toHaveLength(1);
  expect(planted(errorViolations, { "test/a.test.ts": text, "src/swarm/b.ts": fault })).toEqual([]);
});

test("a second barrel is refused", () => {
  const text = `// Everything of the room.\nexport * from "./a.ts";\nexport { type B, c } from "./b.ts";\n`;
  expect(planted(barrelViolations, { "src/vm/index.ts": text })).toHaveLength(1);
  expect(planted(barrelViolations, { "src/index.ts": text })).toEqual([]);
});

test("importing first and exporting then is a barrel all the same", () => {
  const text = `import { a } from "./a.ts";\nexport { a };\n`;
  expect(planted(barrelViolations, { "src/vm/all.ts": text })).toHaveLength(1);
});

test("a file that does something beside its re-exports is no barrel", () => {
  const text = `export * from "./a.ts";\nexport const b = 1;\n`;
  expect(planted(barrelViolations, { "src/vm/a.ts": text, "src/vm/b.ts": `import "./a.ts";\n` })).toEqual([]);
});

test("a file that does not open with what it is for is refused", () => {
  expect(planted(headerViolations, { "src/vm/a.ts": `import { b } from "./b.ts";\n// Late.\n` })).toHaveLength(1);
  const opened = { "scripts/a.mjs": "#!/usr/bin/env node\n// Says it.\n", "src/vm/a.ts": "/** Says it. */\n" };
  expect(planted(headerViolations, opened)).toEqual([]);
});

test("a law that does not exist is refused", () => {
  expect(planted(lawViolations, { "src/vm/a.ts": "// Upholds L1 and L13.\n" })).toEqual([
    "src/vm/a.ts:1 names L13; the laws are L1 to L12",
  ]);
});

// Joined here, so that this file does not name what it plants.
const named = (...parts: string[]): string => parts.join("/");

test.each([
  named("see ", "work", "main"),
  named("cd ", "home", "somebody", "project"),
  named("read ..", "shared", "design"),
  named("https:", "", ["registry", "npmjs", "org"].join("."), "vitest"),
  named("deb http:", "", "deb.debian.org", "debian"),
])("a word of one machine is refused: %s", (text) => {
  expect(planted(machineViolations, { "docs/a.md": `Line.\n${text}\n` })).toHaveLength(1);
});

test("paths of the project and ordinary addresses are no words of one machine", () => {
  const text = "src/contract/work/a.ts https://example.com/work/x ${root}/work/x a /api/runs\n";
  expect(planted(machineViolations, { "docs/a.md": text })).toEqual([]);
});
