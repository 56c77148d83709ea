import { expect, test } from "vitest";
import { endedAnswerSchema } from "../../src/contract/api.ts";
import { type RunRecord, runDetailSchema, runRecordSchema, waitAnswerSchema } from "../../src/contract/records.ts";
import {
  aliveAnswerSchema,
  backupAnswerSchema,
  childrenAnswerSchema,
  groupAnswerSchema,
  groupsAnswerSchema,
  healthAnswerSchema,
  runsAnswerSchema,
  spawnAnswerSchema,
  stopAnswerSchema,
  submitAnswerSchema,
} from "../../src/gateway/answers.ts";
import { send, type TestGateway, testGateway } from "../support/test-gateway.ts";

async function submitted({ gateway }: TestGateway, more: object = {}): Promise<RunRecord> {
  const { json } = await send(gateway, "/v1/runs", { body: { script: "return 1", ...more } });
  return submitAnswerSchema.parse(json).run;
}

async function spawned({ gateway }: TestGateway, more: object = {}): Promise<string> {
  const { json } = await send(gateway, "/v1/children", { body: { task: "look", collect: true, ...more } });
  return spawnAnswerSchema.parse(json).runId;
}

test("I-002 a submitted script answers 201 with its run and where it is found", async () => {
  const { gateway } = await testGateway();
  const answer = await send(gateway, "/v1/runs", { body: { script: "return 1", name: "one" } });
  expect(answer.status).toBe(201);
  const { run, created } = submitAnswerSchema.parse(answer.json);
  expect([run.name, created]).toEqual(["one", true]);
  expect(answer.headers.location).toBe(`/v1/runs/${run.runId}`);
});

test("I-002 the same Idempotency-Key, in the header or in the body, gives the first run again", async () => {
  const here = await testGateway();
  const first = await submitted(here, { idempotencyKey: "k" });
  const again = await send(here.gateway, "/v1/runs", {
    body: { script: "return 1" },
    headers: { "idempotency-key": "k" },
  });
  expect(again.status).toBe(200);
  expect(again.json).toMatchObject({ created: false, run: { runId: first.runId } });
});

test("I-005 a header and a body that name two keys are refused", async () => {
  const { gateway } = await testGateway();
  const body = { script: "return 1", idempotencyKey: "a" };
  const answer = await send(gateway, "/v1/runs", { body, headers: { "idempotency-key": "b" } });
  expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ code: "bad_request" })]);
});

test("I-005 a key that was used for another script is a conflict", async () => {
  const here = await testGateway();
  await submitted(here, { idempotencyKey: "k" });
  const answer = await send(here.gateway, "/v1/runs", { body: { script: "return 2", idempotencyKey: "k" } });
  expect([answer.status, answer.json]).toEqual([409, expect.objectContaining({ code: "idempotency_conflict" })]);
});

test("I-005 a script that cannot be compiled answers 422 with its place", async () => {
  const { gateway } = await testGateway();
  const answer = await send(gateway, "/v1/runs", { body: { script: "return )", fileName: "bad.js" } });
  expect(answer.status).toBe(422);
  expect(answer.json).toMatchObject({ code: "script_syntax", place: { file: "bad.js", line: 1 } });
});

test("I-002 runs are listed a page at a time, and by state", async () => {
  const here = await testGateway();
  const ids = [(await submitted(here)).runId, (await submitted(here)).runId, (await submitted(here)).runId];
  here.runtime.endRun(ids[2] ?? "", 7);
  const first = runsAnswerSchema.parse((await send(here.gateway, "/v1/runs?limit=2")).json);
  expect(first.rows.map((run) => run.runId)).toEqual(ids.slice(0, 2));
  const rest = runsAnswerSchema.parse((await send(here.gateway, `/v1/runs?limit=2&after=${first.next}`)).json);
  expect(rest.rows.map((run) => run.runId)).toEqual(ids.slice(2));
  const done = runsAnswerSchema.parse((await send(here.gateway, "/v1/runs?state=done")).json);
  expect(done.rows.map((run) => run.result)).toEqual([7]);
});

test("I-002 a run and its detail are read by id", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const child = await spawned(here, { requesterRunId: runId });
  const run = await send(here.gateway, `/v1/runs/${runId}`);
  expect(runRecordSchema.parse(run.json).runId).toBe(runId);
  const detail = runDetailSchema.parse((await send(here.gateway, `/v1/runs/${runId}/detail`)).json);
  expect(detail.children.map((row) => row.runId)).toEqual([child]);
});

test("I-002 a run is stopped once; a second time is a wrong state", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const stop = { method: "POST", body: { reason: "enough" } };
  const first = await send(here.gateway, `/v1/runs/${runId}/stop`, stop);
  expect([first.status, stopAnswerSchema.parse(first.json).stopped]).toEqual([200, runId]);
  const second = await send(here.gateway, `/v1/runs/${runId}/stop`, stop);
  expect([second.status, second.json]).toEqual([409, expect.objectContaining({ code: "wrong_state" })]);
});

test("I-002 stop and resume take an empty body", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const resumed = await send(here.gateway, `/v1/runs/${runId}/resume`, { method: "POST" });
  expect(runRecordSchema.parse(resumed.json).runId).toBe(runId);
  expect((await send(here.gateway, `/v1/runs/${runId}/stop`, { method: "POST" })).status).toBe(200);
});

test("I-002 the long-poll for a run's end is woken by the commit", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const asked = send(here.gateway, `/v1/runs/${runId}/ended`);
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  here.runtime.endRun(runId, { ok: true });
  const { run, ended } = endedAnswerSchema.parse((await asked).json);
  expect([ended, run.result]).toEqual([true, { ok: true }]);
});

test("I-002 the long-poll for a run's end answers with the unfinished run when its time is over", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const asked = send(here.gateway, `/v1/runs/${runId}/ended?timeoutSeconds=5`);
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  here.clock.advance(5_000);
  const { run, ended } = endedAnswerSchema.parse((await asked).json);
  expect([ended, run.state]).toEqual([false, "waiting"]);
  expect(here.runtime.waitCount).toBe(0);
});

test("S-001 a collector child is accepted at once, with its id and session", async () => {
  const { gateway } = await testGateway();
  const answer = await send(gateway, "/v1/children", { body: { task: "look", collect: true, groupId: "g" } });
  expect(answer.status).toBe(202);
  expect(spawnAnswerSchema.parse(answer.json)).toMatchObject({ status: "accepted", groupId: "g" });
});

test("S-001 a spawn that does not collect is refused", async () => {
  const { gateway } = await testGateway();
  const answer = await send(gateway, "/v1/children", { body: { task: "look", collect: false } });
  expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ code: "bad_request" })]);
});

test("S-011 a wait answers as soon as one child is complete", async () => {
  const here = await testGateway();
  const ids = [await spawned(here), await spawned(here)];
  const asked = send(here.gateway, "/v1/wait", { body: { ids } });
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  here.runtime.endChild(ids[1] ?? "", "seen");
  const answer = waitAnswerSchema.parse((await asked).json);
  expect(answer.completed.map((child) => child.result)).toEqual(["seen"]);
  expect(answer.pending).toEqual([ids[0]]);
});

test("S-011 a wait whose time is over answers with nothing completed", async () => {
  const here = await testGateway();
  const asked = send(here.gateway, "/v1/wait", { body: { ids: [await spawned(here)] } });
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  here.clock.advance(30_000);
  expect(waitAnswerSchema.parse((await asked).json)).toMatchObject({ completed: [], pending: [expect.any(String)] });
});

test("S-012, S-013 a complete child gives its whole record, as often as it is asked for", async () => {
  const here = await testGateway();
  const id = await spawned(here, { label: "scout" });
  here.runtime.endChild(id, "seen");
  for (let time = 0; time < 2; time += 1) {
    const answer = await send(here.gateway, "/v1/wait", { body: { ids: [id] } });
    const { completed } = waitAnswerSchema.parse(answer.json);
    expect(completed).toEqual([
      expect.objectContaining({ runId: id, status: "done", result: "seen", label: "scout", attempts: 1 }),
    ]);
  }
});

test("S-013 an id that nobody knows comes in errors, not as an error", async () => {
  const { gateway } = await testGateway();
  const answer = await send(gateway, "/v1/wait", { body: { ids: ["agt_nobody"] } });
  expect(answer.status).toBe(200);
  expect(waitAnswerSchema.parse(answer.json).errors).toEqual([{ runId: "agt_nobody", error: "not_found" }]);
});

test("S-018 children are listed by run, group and status, a page at a time", async () => {
  const here = await testGateway();
  const ids = [await spawned(here, { groupId: "a" }), await spawned(here, { groupId: "a" })];
  const other = await spawned(here, { groupId: "b", requesterRunId: "run_1" });
  here.runtime.endChild(ids[0] ?? "", "x");
  const list = async (query: string): Promise<string[]> => {
    const { json } = await send(here.gateway, `/v1/children?${query}`);
    return childrenAnswerSchema.parse(json).rows.map((child) => child.runId);
  };
  expect(await list("groupId=a")).toEqual(ids);
  expect(await list("groupId=a&status=done")).toEqual(ids.slice(0, 1));
  expect(await list("runId=run_1")).toEqual([other]);
  expect(await list(`groupId=a&limit=1&after=${ids[0]}`)).toEqual(ids.slice(1));
});

test("I-002 one child is stopped by its id", async () => {
  const here = await testGateway();
  const id = await spawned(here);
  const answer = await send(here.gateway, `/v1/children/${id}/stop`, { body: {} });
  expect(stopAnswerSchema.parse(answer.json)).toEqual({ stopped: id, cancelledChildren: 1 });
});

test("I-002 groups are listed and read by their encoded id", async () => {
  const here = await testGateway();
  const id = await spawned(here);
  const groups = groupsAnswerSchema.parse((await send(here.gateway, "/v1/groups")).json);
  expect(groups.rows.map((group) => [group.groupId, group.total])).toEqual([["swarm:operator:main", 1]]);
  const answer = await send(here.gateway, `/v1/groups/${encodeURIComponent("swarm:operator:main")}`);
  const { group, children } = groupAnswerSchema.parse(answer.json);
  expect([group.counts.running, children.map((child) => child.runId)]).toEqual([1, [id]]);
});

test("I-002 health says more with a token, and nothing but life without one", async () => {
  const { gateway } = await testGateway();
  const health = await send(gateway, "/v1/health");
  expect(healthAnswerSchema.parse(health.json).storage.ok).toBe(true);
  const alive = await send(gateway, "/healthz", { token: false });
  expect(alive.status).toBe(200);
  expect(Object.keys(aliveAnswerSchema.strict().parse(alive.json))).toEqual(["status", "service", "instance"]);
});

test("I-002 a backup goes to an absolute path and says how large it is", async () => {
  const { gateway, settings } = await testGateway();
  const path = `${settings.dataDir}/backup.db`;
  const answer = await send(gateway, "/v1/backup", { body: { path } });
  expect(backupAnswerSchema.parse(answer.json).bytes).toBeGreaterThan(0);
  const relative = await send(gateway, "/v1/backup", { body: { path: "backup.db" } });
  expect([relative.status, relative.json]).toEqual([400, expect.objectContaining({ code: "bad_request" })]);
});
