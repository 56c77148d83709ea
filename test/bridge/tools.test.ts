// tools.<server>.<tool>(args) as a script sees it.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer, GuestHost } from "../../src/bridge/port.ts";
import type { Call } from "../../src/contract/calls.ts";
import { ok, openTestHost, runScript } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

const files = { name: "files", declarations: "interface Tools { readonly files: {} }\n" };
const tools = [files, { name: "my-server" }];

const echo = (call: Call): Answer | undefined =>
  call.method === "toolCall" ? ok(call.callId, { tool: call.args.tool, args: call.args.args }) : undefined;

test("G-014 a call of a tool is a call of the bridge, with the server, the tool, the arguments and its place", async () => {
  const { calls, result } = await runScript(
    host,
    `const one = await tools.files.read({ path: "a", deep: [1, { b: null }] });
     return [one, await tools["my-server"]["list.all"]()];`,
    echo,
    { tools },
  );
  expect(calls).toMatchObject([
    {
      method: "toolCall",
      args: { server: "files", tool: "read", args: { path: "a", deep: [1, { b: null }] } },
      line: 1,
    },
    { method: "toolCall", args: { server: "my-server", tool: "list.all", args: {} }, line: 2 },
  ]);
  expect(result).toEqual([
    { tool: "read", args: { path: "a", deep: [1, { b: null }] } },
    { tool: "list.all", args: {} },
  ]);
});

test("G-014 a failed call rejects with its name, code and place, and can be caught", async () => {
  const error = {
    name: "ToolError",
    message: "no",
    data: { server: "files", tool: "read", code: "approval_required" },
  };
  const { result } = await runScript(
    host,
    `try { await tools.files.read({}); } catch (error) { return [error.name, error.code, error.tool, error instanceof Error]; }`,
    (call) => ({ callId: call.callId, ok: false, error }),
    { tools },
  );
  expect(result).toEqual(["ToolError", "approval_required", "read", true]);
});

test("G-014 arguments that are no object of JSON are refused at the call", async () => {
  const { result, calls } = await runScript(
    host,
    `const bad = [[1], "text", { a: () => 1 }, { a: 1n }, null];
     return bad.map((args) => { try { tools.files.read(args); } catch (error) { return error.name + ": " + error.message; } });`,
    undefined,
    { tools },
  );
  expect(result).toEqual([
    "TypeError: tools.files.read: args must be an object, got an array",
    expect.stringContaining("an object"),
    expect.stringContaining("args.a is a function"),
    expect.stringContaining("args.a is a BigInt"),
    expect.stringContaining("an object"),
  ]);
  expect(calls).toEqual([]);
});

test("G-014 API lists and reads the declarations, and a server that is not there is undefined", async () => {
  const { result } = await runScript(
    host,
    `return [API.list("tools/"), API.read("tools/files.d.ts"), typeof tools.nowhere, Object.keys(tools)];`,
    undefined,
    { tools },
  );
  expect(result).toEqual([["tools/files.d.ts"], files.declarations, "undefined", ["files", "my-server"]]);
});

test("tools is fixed, and what the language looks up on any value is no tool", async () => {
  const { result, calls } = await runScript(
    host,
    `"use strict";
     const failed = [];
     for (const act of [() => { tools.files = 1; }, () => { globalThis.tools = 1; }, () => { delete tools.files; }]) {
       try { act(); } catch (error) { failed.push(error.name); }
     }
     const server = await tools.files;
     return [failed, JSON.stringify(server), typeof server.then, typeof server[Symbol.iterator], typeof server["a b"]];`,
    undefined,
    { tools },
  );
  expect(result).toEqual([["TypeError", "TypeError", "TypeError"], "{}", "undefined", "undefined", "undefined"]);
  expect(calls).toEqual([]);
});

test("without servers tools is empty", async () => {
  const { result } = await runScript(host, "return [Object.keys(tools), API.list('tools/')];");
  expect(result).toEqual([[], []]);
});
