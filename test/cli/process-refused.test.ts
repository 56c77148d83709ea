// What is refused before anything is done, and what is no gateway.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Place, quickswarm } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

const TOKEN = "a-token-that-must-not-leave";

function place(files: { [path: string]: string } = {}): Place {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data`, env: { QUICKSWARM_TOKEN: TOKEN } };
}

/** Something on this machine that is no gateway; its answers, and the Authorization headers that it was sent. */
async function stranger(answer: (response: ServerResponse) => void): Promise<{ url: string; tokens: unknown[] }> {
  const tokens: unknown[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    if (request.headers.authorization !== undefined) tokens.push(request.headers.authorization);
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tokens };
}

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ["a page", (response) => response.setHeader("content-type", "text/html").end("<html>"), /status 200, text\/html/],
  ["an empty answer", (response) => response.end(), /status 200, no content type, nothing in it/],
  ["an error", (response) => response.writeHead(500).end("oops"), /status 500, .*it begins "oops"/],
  ["a redirect", (response) => response.writeHead(302, { location: "/login" }).end(), /status 302/],
  ["JSON of another shape", (response) => response.end('{"hello":"world"}'), /is no quickswarm gateway/],
])("I-005 --url at something that answers with %s is told as no gateway, and is sent no token", async (...row) => {
  const [, answer, told] = row;
  const { url, tokens } = await stranger(answer);
  const { code, err } = await quickswarm(place(), ["ls", "--url", url]);
  expect(code).toBe(6);
  expect(err).toMatch(/^error\[gateway_unreachable\]: /);
  expect(err).toMatch(told);
  expect(err).toContain(url);
  expect(tokens).toEqual([]);
});

test("I-005 a password in --url is refused and not repeated", async () => {
  for (const url of ["http://user:hunter2@127.0.0.1:9", "user:hunter2@127.0.0.1:9"]) {
    const { code, out, err } = await quickswarm(place(), ["ls", "--url", url]);
    expect(code).toBe(2);
    expect(err).toContain("error[option_type]: --url: ");
    expect(out + err).not.toContain("hunter2");
  }
});

test.each([
  [["ls", "--data", ""], "--data"],
  [["ls", "--config", ""], "--config"],
  [["ls", "--port", ""], "--port"],
  [["ls", "--url", ""], "--url"],
  [["run", "one.js", "--group", ""], "--group"],
  [["stop", "run_1", "--reason", " "], "--reason"],
  [["wait", "run_1", ""], "ids"],
  [["show", ""], "run"],
  [["backup", ""], "file"],
])("I-005 an empty value is refused and the option is named: %j", async (args, name) => {
  const { code, err } = await quickswarm(place({ "one.js": "return 1" }), args);
  expect(code).toBe(2);
  expect(err).toMatch(/^error\[option_type\]: .*Expected a value that is not empty\./);
  expect(err).toContain(name);
});

test("G-010 an empty --args-text is an empty text", async () => {
  const { out } = await quickswarm(place({ "args.js": "return [args]" }), ["run", "args.js", "--args-text", ""]);
  expect(JSON.parse(out)).toEqual([""]);
});

test("I-003 I-005 a backup that cannot be written names the file", async () => {
  const at = place({ "there.db": "x" });
  for (const file of [`${at.cwd}/none/copy.db`, `${at.cwd}/there.db`]) {
    const { code, err } = await quickswarm(at, ["backup", file]);
    expect(code).toBe(2);
    expect(err).toContain(`: ${file}: `);
  }
});

test("I-005 a value that the gateway refuses is told by its option", async () => {
  const at = place({ "one.js": "return 1" });
  const { code, err } = await quickswarm(at, ["run", "one.js", "--name", "x".repeat(10_000), "--no-check"]);
  expect(code).toBe(2);
  expect(err).toMatch(/^error\[option_type\]: --name: longer than \d+ characters\n/m);
});

test("I-005 a child's id where a run's is meant is told as that, with its run", async () => {
  const hex = "0123456789abcdef".repeat(2);
  for (const command of [["show"], ["show", "--history"], ["logs"], ["logs", "-f"], ["resume"]]) {
    const { code, err } = await quickswarm(place(), [...command, `agt_${hex}_3`]);
    expect(code).toBe(2);
    expect(err).toContain(`agt_${hex}_3 is a child, and this command takes a run`);
    expect(err).toContain(`quickswarm show run_${hex}`);
  }
});
