// MCP by Streamable HTTP, with the SDK's own client, over the in-memory runtime: tools, waits, sessions.

import type { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { type TestGateway, testGateway } from "../support/test-gateway.ts";
import { call, mcpClient, untilWaiting } from "./mcp-client.ts";

async function opened(): Promise<TestGateway & { client: Client }> {
  const made = await testGateway();
  return { ...made, client: await mcpClient(made.gateway) };
}

async function spawnThree(client: Client): Promise<string[]> {
  const answers = [];
  for (const label of ["a", "b", "c"]) answers.push(await call(client, "sessions_spawn", { task: "work", label }));
  for (const answer of answers) expect(answer).toMatchObject({ status: "accepted", runId: expect.any(String) });
  return answers.map(({ runId }) => String(runId));
}

test("I-001 the tools are listed with schemas and words that tell a model when to use them", async () => {
  const { client } = await opened();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    "agents_wait",
    "sessions_spawn",
    "subagents",
    "swarm_approvals",
    "swarm_decide",
    "swarm_groups",
    "swarm_run",
    "swarm_send_event",
    "swarm_status",
    "swarm_stop",
    "swarm_wait",
    "workflows_list",
  ]);
  for (const { description, inputSchema, outputSchema } of tools) {
    expect(description?.length).toBeGreaterThan(60);
    expect([inputSchema.type, outputSchema?.type]).toEqual(["object", "object"]);
  }
  expect(client.getInstructions()).toContain("agents_wait");
});

test("I-001 S-001 S-011 three agents are spawned at once and waited for until none is pending, first completion first", async () => {
  const { client, runtime } = await opened();
  const ids = await spawnThree(client);
  const [a = "", b = "", c = ""] = ids;
  runtime.endChild(b, "second was first");
  const seen: string[] = [];
  let pending = ids;
  for (const next of [undefined, c, a]) {
    if (next !== undefined) runtime.endChild(next, "done");
    const answer = await call(client, "agents_wait", { ids: pending });
    for (const { runId, status } of answer.completed as { runId: string; status: string }[]) {
      expect(status).toBe("done");
      seen.push(runId);
    }
    pending = answer.pending as string[];
  }
  expect([seen, pending]).toEqual([[b, c, a], []]);
});

test("S-012 S-013 a completed agent gives its record again, without what it was asked", async () => {
  const { client, runtime } = await opened();
  const { runId } = await call(client, "sessions_spawn", { task: "a secret question", label: "one" });
  runtime.endChild(String(runId), "42");
  for (let time = 0; time < 2; time++) {
    const answer = await call(client, "agents_wait", { ids: [runId] });
    expect(answer.completed).toEqual([expect.objectContaining({ runId, status: "done", result: "42", label: "one" })]);
    expect(JSON.stringify(answer)).not.toContain("a secret question");
  }
});

test("S-013 S-014 unknown ids and those of another session are told alike, as entries and not as an error", async () => {
  const { gateway, client } = await opened();
  const stranger = await mcpClient(gateway);
  const [foreign = ""] = await spawnThree(stranger);
  const answer = await call(client, "agents_wait", { ids: [foreign, "agt_unknown"] });
  expect(answer.errors).toEqual([
    { runId: foreign, error: "not_found" },
    { runId: "agt_unknown", error: "not_found" },
  ]);
});

test("S-011 B-037 a wait whose time is over says what each agent is doing, and that is no error", async () => {
  const made = await opened();
  const [id] = await spawnThree(made.client);
  const answer = call(made.client, "agents_wait", { ids: [id] });
  await untilWaiting(made);
  made.clock.advance(29_999);
  expect(made.runtime.waitCount).toBe(1);
  made.clock.advance(1);
  expect(await answer).toMatchObject({
    completed: [],
    pending: [id],
    pendingDetail: [{ runId: id, status: expect.stringMatching(/queued|running/) }],
  });
});

test("S-011 a wait is never longer than waitTimeoutSecondsMax", async () => {
  const made = await opened();
  const [id] = await spawnThree(made.client);
  const answer = call(made.client, "agents_wait", { ids: [id], timeoutSeconds: 86_400 });
  await untilWaiting(made);
  made.clock.advance(600_000);
  expect(await answer).toMatchObject({ completed: [], pending: [id] });
});

test("I-001 a client that asks for progress hears every 15 seconds that its wait goes on", async () => {
  const made = await opened();
  const [id = ""] = await spawnThree(made.client);
  const heard: (number | undefined)[] = [];
  let wake = (): void => {};
  const answer = made.client.callTool(
    { name: "agents_wait", arguments: { ids: [id], timeoutSeconds: 60 } },
    {
      onprogress: ({ progress, total }) => {
        heard.push(progress, total);
        wake();
      },
    },
  );
  await untilWaiting(made);
  for (const seconds of [15, 30]) {
    const told = new Promise<void>((resolve) => {
      wake = resolve;
    });
    made.clock.advance(15_000);
    await told;
    expect(heard.slice(-2)).toEqual([seconds, 60]);
  }
  made.runtime.endChild(id, "done");
  expect((await answer).isError).toBeFalsy();
  expect(made.clock.timerCount).toBe(0);
});

test("I-001 a cancelled wait ends at once and leaves nothing behind; the agent goes on", async () => {
  const made = await opened();
  const [id = ""] = await spawnThree(made.client);
  const stop = new AbortController();
  const answer = made.client.callTool({ name: "agents_wait", arguments: { ids: [id] } }, { signal: stop.signal });
  await untilWaiting(made);
  stop.abort();
  await expect(answer).rejects.toThrow();
  while (made.runtime.waitCount > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(made.clock.timerCount).toBe(0);
  made.runtime.endChild(id, "still here");
  expect(await call(made.client, "agents_wait", { ids: [id] })).toMatchObject({ completed: [{ runId: id }] });
});

test("I-001 a script is submitted at once, waited for, looked at and listed", async () => {
  const made = await opened();
  const { run, created } = await call(made.client, "swarm_run", { script: "return 1", name: "one" });
  const { runId } = run as { runId: string };
  expect([created, run]).toEqual([true, expect.objectContaining({ name: "one", state: "waiting" })]);
  const late = call(made.client, "swarm_wait", { runId, timeoutSeconds: 5 });
  while (made.clock.timerCount === 0) await new Promise((resolve) => setImmediate(resolve));
  made.clock.advance(5_000);
  expect(await late).toMatchObject({ ended: false, run: { runId, state: "waiting" }, live: [] });
  made.runtime.endRun(runId, { n: 1 });
  expect(await call(made.client, "swarm_wait", { runId })).toMatchObject({
    ended: true,
    run: { state: "done", result: { n: 1 } },
    census: { done: 0 },
  });
  expect(await call(made.client, "swarm_status")).toMatchObject({ runs: [{ runId, state: "done" }] });
  expect(await call(made.client, "swarm_status", { runId })).toMatchObject({ runs: [{ runId }], notes: [] });
});

test("I-001 S-018 agents are listed with label, status, tokens and time, and a group with its counts", async () => {
  const { client, runtime, clock } = await opened();
  const [id = ""] = await spawnThree(client);
  clock.advance(1_000);
  runtime.endChild(id, "done");
  const { children, counts } = await call(client, "subagents", { status: "done" });
  expect(children).toEqual([expect.objectContaining({ runId: id, label: "a", status: "done", inputTokens: 0 })]);
  expect(counts).toMatchObject({ done: 1, running: 0 });
  expect(await call(client, "swarm_groups")).toMatchObject({ groups: [{ counts: { done: 1 } }] });
});

test("I-001 S-014 no tool and no resource shows one session what belongs to another, or lets it stop it", async () => {
  const { gateway, client } = await opened();
  const stranger = await mcpClient(gateway);
  const { run } = await call(client, "swarm_run", { script: "return 1" });
  const { runId, groupId } = run as { runId: string; groupId: string };
  const [childId] = await spawnThree(client);
  expect(await call(stranger, "swarm_status")).toEqual({ runs: [] });
  expect(await call(stranger, "subagents")).toMatchObject({ children: [] });
  expect(await call(stranger, "swarm_groups")).toEqual({ groups: [] });
  const { resources } = await stranger.listResources();
  expect(resources.map(({ uri }) => uri).filter((uri) => uri.includes("runs"))).toEqual([]);
  const tries: [string, object][] = [
    ["swarm_status", { runId }],
    ["swarm_wait", { runId }],
    ["swarm_groups", { groupId }],
    ["swarm_stop", { id: runId }],
    ["swarm_stop", { id: childId }],
  ];
  for (const [name, args] of tries) {
    expect([name, await call(stranger, name, { ...args })]).toEqual([
      name,
      { refused: expect.objectContaining({ code: "not_found" }) },
    ]);
  }
  await expect(stranger.readResource({ uri: `quickswarm://runs/${runId}` })).rejects.toThrow();
  expect(await call(client, "swarm_status", { runId })).toMatchObject({ runs: [{ state: "waiting" }] });
});

test("C-006 with swarm disabled agents_wait is not listed, and a collector is refused with the key's name", async () => {
  const { gateway, settings } = await testGateway();
  settings.swarmFor(undefined).enabled = false;
  const client = await mcpClient(gateway);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("agents_wait");
  expect(await call(client, "sessions_spawn", { task: "t", groupId: "g" })).toEqual({
    refused: expect.objectContaining({
      code: "swarm_disabled",
      message: expect.stringMatching(/tools\.swarm\.enabled.*collect, groupId/),
    }),
  });
});

test("I-005 a fault comes as text that says what to do next, and as data", async () => {
  const { client } = await opened();
  const { isError, content } = await client.callTool({ name: "swarm_status", arguments: { runId: "run_none" } });
  expect(isError).toBe(true);
  expect(content).toEqual([{ type: "text", text: expect.stringMatching(/^error\[not_found\]: .*\nnext: /) }]);
});

test("I-001 the declarations, a run and a prompt that teaches to write a script are there to read", async () => {
  const { client } = await opened();
  const { contents } = await client.readResource({ uri: "quickswarm://guest/agents.d.ts" });
  expect(contents[0]).toMatchObject({ text: expect.stringContaining("declare const agents: Agents;") });
  const { run } = await call(client, "swarm_run", { script: "return 1" });
  const { runId } = run as { runId: string };
  const kept = await client.readResource({ uri: `quickswarm://runs/${runId}` });
  expect(JSON.parse((kept.contents[0] as { text: string }).text)).toMatchObject({ run: { runId } });
  const { messages } = await client.getPrompt({ name: "write_swarm_script", arguments: { goal: "Sort my mail" } });
  expect(JSON.stringify(messages)).toContain("Sort my mail");
  expect(JSON.stringify(messages)).toContain("agents.d.ts".slice(0, 6));
});
