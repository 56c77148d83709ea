// Saved workflows over HTTP: the list, and a run by name.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { submitAnswerSchema, workflowsAnswerSchema } from "../../src/gateway/answers.ts";
import { serveGateway } from "../../src/gateway/serve.ts";
import { send, tempFolder, testSettings } from "../support/test-gateway.ts";
import { call, mcpClient } from "./mcp-client.ts";

async function gatewayWith(files: { [name: string]: string }) {
  const dataDir = await tempFolder();
  const folder = join(dataDir, "flows");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const dialect = { models: {}, agentTypes: {}, agentsMax: 1000, workflowFolders: [folder, join(dataDir, "none")] };
  const gateway = await serveGateway({
    ...testSettings(dataDir, { allowedHosts: ["127.0.0.1"] }),
    logLevel: "silent",
    dialect,
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

const meta = (name: string) => `export const meta = { name: '${name}', description: 'does ${name}' }\n`;

test("D-008 I-001 MCP runs a saved workflow by its name; a script and a name together, and neither, are refused", async () => {
  const gateway = await gatewayWith({ "add.js": `${meta("add")}return args.a + args.b` });
  const client = await mcpClient(gateway);
  expect(await call(client, "workflows_list")).toMatchObject({ workflows: [{ name: "add" }] });
  const { run } = await call(client, "swarm_run", { workflow: "add", args: { a: 1, b: 2 } });
  const { runId } = run as { runId: string };
  expect(await call(client, "swarm_wait", { runId })).toMatchObject({ run: { state: "done", name: "add", result: 3 } });
  expect(await call(client, "swarm_run", { workflow: "ad" })).toMatchObject({ refused: { code: "workflow_unknown" } });
  for (const wrong of [{ workflow: "add", script: "return 1" }, {}]) {
    expect(await call(client, "swarm_run", wrong)).toMatchObject({ refused: { code: "bad_request" } });
  }
});

test("D-008 I-002 saved workflows are listed, run by name, and called by each other; an unknown name is 404 with what is near", async () => {
  const gateway = await gatewayWith({
    "add.js": `${meta("add")}return args.a + args.b`,
    "twice.js": `${meta("twice")}return 2 * await workflow('add', args)`,
    "bad.js": "return 1",
  });
  const { rows } = workflowsAnswerSchema.parse((await send(gateway, "/v1/workflows")).json);
  expect(rows.map(({ name, problem }) => [name, problem !== undefined])).toEqual([
    ["add", false],
    ["bad", true],
    ["twice", false],
  ]);
  const run = async (name: string) => {
    const given = await send(gateway, `/v1/workflows/${name}/runs`, { body: { args: { a: 1, b: 2 } } });
    expect(given.status).toBe(201);
    const { runId } = submitAnswerSchema.parse(given.json).run;
    return (await send(gateway, `/v1/runs/${runId}/ended`)).json;
  };
  expect(await run("add")).toMatchObject({ run: { state: "done", name: "add", result: 3 } });
  expect(await run("twice")).toMatchObject({ run: { state: "done", result: 6 } });
  const unknown = await send(gateway, "/v1/workflows/twise/runs", { body: {} });
  expect([unknown.status, unknown.json]).toEqual([
    404,
    expect.objectContaining({ code: "workflow_unknown", detail: expect.stringContaining('Did you mean "twice"?') }),
  ]);
  const bad = await send(gateway, "/v1/workflows/bad/runs", { body: {} });
  expect(bad.json).toMatchObject({
    detail: expect.stringContaining("cannot run: it does not begin with export const meta"),
  });
});
