// A gateway process that is killed while runs wait for people and programs, and right after it has
// acknowledged what they said: nothing that was said is lost or asked again.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fault } from "../../src/contract/fault.ts";
import type { PendingCall } from "../../src/contract/records.ts";
import { createClient, type GatewayClient } from "../../src/gateway/client.ts";
import { findGateway } from "../../src/gateway/discovery.ts";
import { type Command, startGateway } from "../cli/support/command.ts";

const STEPS = 3;

/** A gateway on one data directory that is killed and started again. */
class Mortal {
  readonly #dir = mkdtempSync(join(tmpdir(), "quickswarm-people-"));
  #process: Command | undefined;
  #client: GatewayClient | undefined;

  get client(): GatewayClient {
    if (!this.#client) throw fault("internal", "The gateway was not started.");
    return this.#client;
  }

  async start(): Promise<void> {
    this.#process = await startGateway({ cwd: this.#dir, dataDir: this.#dir });
    const found = await findGateway(this.#dir);
    if (!found) throw fault("internal", "The gateway that was started is not found.");
    this.#client = createClient(found);
  }

  async kill(): Promise<void> {
    this.#client?.close();
    this.#process?.process.kill("SIGKILL");
    await this.#process?.ended;
  }

  async killAndStart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Asks again and again, as the gateway may just have been started; what it waits for comes by itself. */
  async pending(runId: string, method: string): Promise<PendingCall> {
    for (;;) {
      const call = (await this.client.runDetail(runId)).pending.find((each) => each.method === method);
      if (call) return call;
    }
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

async function openMortal(): Promise<Mortal> {
  const mortal = new Mortal();
  onTestFinished(() => mortal.end());
  await mortal.start();
  return mortal;
}

test("R-004 B-002 G-009 after kill -9 an approval and a wait for an event are there, are answered, and the script goes on", async () => {
  const mortal = await openMortal();
  const script = `const [a, e] = await Promise.all([approve("Deploy?", { n: 1 }), waitForEvent("built", { timeout: "1h" })]);
return [a.approved, a.comment, e];`;
  const { run } = await mortal.client.submit({ script });
  const { approvalId = "", dueAt: none } = await mortal.pending(run.runId, "approve");
  const { dueAt } = await mortal.pending(run.runId, "waitForEvent");
  await mortal.killAndStart();
  expect((await mortal.client.approvals({ state: "pending" })).rows).toMatchObject([
    { approvalId, runId: run.runId, title: "Deploy?", details: { n: 1 } },
  ]);
  expect([none, (await mortal.pending(run.runId, "waitForEvent")).dueAt]).toEqual([undefined, dueAt]);
  await mortal.client.decide(approvalId, { decision: "approve", comment: "go" });
  expect(await mortal.client.sendEvent(run.runId, "built", { ok: true })).toMatchObject({ delivered: true });
  expect((await mortal.client.runEnded(run.runId)).result).toEqual([true, "go", { ok: true }]);
});

test("R-001 L3 G-009 killed right after each decision and each event, a run gets every one of them, once and in order", async () => {
  const mortal = await openMortal();
  const script = `const said = [];
for (let step = 0; step < ${STEPS}; step++) {
  said.push((await approve("step " + step)).data);
  said.push(await waitForEvent("next"));
}
return said;`;
  const { run } = await mortal.client.submit({ script });
  for (let step = 0; step < STEPS; step += 1) {
    const { approvalId = "" } = await mortal.pending(run.runId, "approve");
    const decided = await mortal.client.decide(approvalId, { decision: "approve", data: step });
    await mortal.killAndStart();
    // Sent again, as a caller does that got no answer.
    expect(await mortal.client.decide(approvalId, { decision: "approve", data: "again" })).toEqual(decided);
    await mortal.client.sendEvent(run.runId, "next", { step });
    await mortal.killAndStart();
  }
  const ended = await mortal.client.runEnded(run.runId);
  expect(ended.result).toEqual([0, { step: 0 }, 1, { step: 1 }, 2, { step: 2 }]);
  const { rows } = await mortal.client.approvals();
  expect(rows.map((row) => row.state)).toEqual(Array.from({ length: STEPS }, () => "approved"));
});
