// Approvals and events over HTTP, against the real runtime: routes, statuses, the event stream.

import { expect, onTestFinished, test } from "vitest";
import { type ApprovalRecord, approvalRecordSchema, eventAnswerSchema } from "../../src/contract/approvals.ts";
import type { SwarmEvent } from "../../src/contract/events.ts";
import { runDetailSchema, runRecordSchema } from "../../src/contract/records.ts";
import { approvalsAnswerSchema } from "../../src/gateway/answers.ts";
import { createClient, type GatewayClient } from "../../src/gateway/client.ts";
import { type Gateway, serveGateway } from "../../src/gateway/serve.ts";
import { send, tempFolder, testSettings } from "../support/test-gateway.ts";
import { call, mcpClient } from "./mcp-client.ts";

async function realGateway(): Promise<{ gateway: Gateway; client: GatewayClient }> {
  const settings = { ...testSettings(await tempFolder()), logLevel: "silent" as const };
  const gateway = await serveGateway(settings);
  onTestFinished(() => gateway.close());
  const client = createClient({ url: gateway.url, token: gateway.token });
  onTestFinished(() => client.close());
  return { gateway, client };
}

/** The first event of that type that comes for the run. */
async function heard<Type extends SwarmEvent["type"]>(client: GatewayClient, runId: string, type: Type) {
  for await (const event of client.events({ runId, after: 0 })) {
    if (event.type === type) return event as SwarmEvent & { type: Type };
  }
  throw new RangeError(`the stream ended without ${type}`);
}

test("I-002 G-009 B-002 an approval is told by the stream, listed, read, decided, and decided once", async () => {
  const { gateway, client } = await realGateway();
  const { run } = await client.submit({
    script: 'const a = await approve("Go?", ["x"]); return [a.approved, a.data];',
  });
  const asked = await heard(client, run.runId, "approval.requested");
  expect(asked).toMatchObject({ title: "Go?", runId: run.runId });
  const { rows } = approvalsAnswerSchema.parse((await send(gateway, "/v1/approvals?state=pending")).json);
  expect(rows).toMatchObject([{ approvalId: asked.approvalId, details: ["x"], state: "pending" }]);
  const path = `/v1/approvals/${asked.approvalId}`;
  expect(approvalRecordSchema.parse((await send(gateway, path)).json)).toEqual(rows[0]);
  expect(runRecordSchema.parse((await send(gateway, `/v1/runs/${run.runId}`)).json).pendingApprovals).toBe(1);
  const detail = runDetailSchema.parse((await send(gateway, `/v1/runs/${run.runId}/detail`)).json);
  expect(detail.pending).toMatchObject([{ method: "approve", approvalId: asked.approvalId, title: "Go?" }]);
  const body = { decision: "approve", comment: "fine", data: { n: [1] } };
  const first = await send(gateway, path, { body });
  expect([first.status, approvalRecordSchema.parse(first.json).state]).toEqual([200, "approved"]);
  expect((await send(gateway, path, { body })).json).toEqual(first.json);
  const other = await send(gateway, path, { body: { decision: "reject" } });
  expect([other.status, other.json]).toEqual([
    409,
    expect.objectContaining({ code: "wrong_state", details: expect.objectContaining({ by: "operator" }) }),
  ]);
  expect((await client.runEnded(run.runId)).result).toEqual([true, { n: [1] }]);
  const decided = await heard(client, run.runId, "approval.decided");
  expect(decided).toMatchObject({ state: "approved", by: "operator", comment: "fine" });
});

test("I-002 approvals are paged, by run and by state", async () => {
  const { gateway, client } = await realGateway();
  const script = 'await Promise.all([1, 2, 3].map((n) => approve("step " + n)));';
  const { run } = await client.submit({ script });
  await heard(client, run.runId, "approval.requested");
  const of = `runId=${run.runId}&state=pending`;
  const first = approvalsAnswerSchema.parse((await send(gateway, `/v1/approvals?${of}&limit=2`)).json);
  const rest = approvalsAnswerSchema.parse(
    (await send(gateway, `/v1/approvals?${of}&limit=2&after=${first.next}`)).json,
  );
  expect([...first.rows, ...rest.rows].map((row) => row.title)).toEqual(["step 1", "step 2", "step 3"]);
  expect(rest.next).toBeUndefined();
  expect((await client.approvals({ runId: "run_none" })).rows).toEqual([]);
  for (const query of ["state=open", "limit=0", "after=x", "who=me"]) {
    expect((await send(gateway, `/v1/approvals?${query}`)).json).toMatchObject({ code: "bad_request" });
  }
});

test("I-002 G-009 an event of any JSON reaches the script, in order", async () => {
  const { gateway, client } = await realGateway();
  const script = 'const out = []; for (let n = 0; n < 5; n++) out.push(await waitForEvent("step.done")); return out;';
  const { run } = await client.submit({ script });
  const path = `/v1/runs/${run.runId}/events/step.done`;
  for (const body of ["null", "7", '"text"', "[1]"]) {
    const answer = await send(gateway, path, { body });
    expect([answer.status, eventAnswerSchema.parse(answer.json).name]).toEqual([202, "step.done"]);
  }
  expect((await send(gateway, path, { method: "POST" })).status).toBe(202);
  expect((await client.runEnded(run.runId)).result).toEqual([null, 7, "text", [1], {}]);
});

test("I-005 what cannot be sent is a problem that says why", async () => {
  const { gateway, client } = await realGateway();
  const { run } = await client.submit({ script: 'await approve("Go?");' });
  const { approvalId } = await heard(client, run.runId, "approval.requested");
  const events = `/v1/runs/${run.runId}/events`;
  const cases: [string, unknown, number, string][] = [
    [`${events}/${encodeURIComponent("a b")}`, 1, 400, "bad_request"],
    [`${events}/e`, "x".repeat(70_000), 413, "body_too_large"],
    ["/v1/runs/run_none/events/e", 1, 404, "not_found"],
    ["/v1/approvals/apr_none", { decision: "approve" }, 404, "not_found"],
    [`/v1/approvals/${approvalId}`, { decision: "perhaps" }, 400, "bad_request"],
    [`/v1/approvals/${approvalId}`, { decision: "approve", comment: "x".repeat(4_001) }, 400, "bad_request"],
    [`/v1/approvals/${approvalId}`, { decision: "approve", by: "somebody" }, 400, "bad_request"],
  ];
  for (const [path, body, status, code] of cases) {
    const answer = await send(gateway, path, { body: JSON.stringify(body) });
    expect([answer.status, answer.json], path).toEqual([status, expect.objectContaining({ code })]);
  }
  await client.stop(run.runId);
  const late = await send(gateway, `${events}/e`, { body: "1" });
  expect([late.status, late.json]).toEqual([409, expect.objectContaining({ code: "wrong_state" })]);
});

test("I-001 B-002 G-009 over MCP an approval of the session's own run is listed and decided, and an event sent", async () => {
  const { gateway } = await realGateway();
  const client = await mcpClient(gateway);
  const script =
    'const a = await approve("Go?", { n: 1 }); return [a.approved, a.comment, a.data, await waitForEvent("e")];';
  const { run } = (await call(client, "swarm_run", { script })) as { run: { runId: string } };
  let asked: ApprovalRecord | undefined;
  while (!asked) asked = ((await call(client, "swarm_approvals")).approvals as ApprovalRecord[])[0];
  expect(asked).toMatchObject({ title: "Go?", details: { n: 1 }, state: "pending", runId: run.runId });
  const { approvalId } = asked;
  expect(await call(client, "swarm_status")).toMatchObject({ runs: [{ state: "waiting", pendingApprovals: 1 }] });
  const stranger = await mcpClient(gateway);
  const decision = { approvalId, decision: "approve", comment: "go", data: [2] };
  expect(await call(stranger, "swarm_decide", decision)).toMatchObject({ refused: { code: "not_found" } });
  expect((await call(stranger, "swarm_approvals")).approvals).toEqual([]);
  expect(await call(client, "swarm_decide", decision)).toMatchObject({ state: "approved" });
  expect(await call(client, "swarm_decide", { approvalId, decision: "reject" })).toMatchObject({
    refused: { code: "wrong_state", details: { state: "approved" } },
  });
  await call(client, "swarm_send_event", { runId: run.runId, name: "e", payload: { ok: true } });
  const ended = await call(client, "swarm_wait", { runId: run.runId });
  expect(ended).toMatchObject({ ended: true, run: { result: [true, "go", [2], { ok: true }] } });
});
