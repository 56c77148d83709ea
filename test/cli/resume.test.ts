// `resume` beside the run's own end, with a gateway that decides when that is.

import { expect, test } from "vitest";
import { resumeCommand } from "../../src/cli/commands/resume.ts";
import type { Context } from "../../src/cli/context.ts";
import type { LoadedSettings } from "../../src/config/load.ts";
import { fault } from "../../src/contract/fault.ts";
import { OPERATOR } from "../../src/gateway/listen.ts";
import { testGateway } from "../support/test-gateway.ts";
import { type FakeIo, fakeIo } from "./support/fake-io.ts";

async function here() {
  const { runtime, settings, clock } = await testGateway();
  const { run } = await runtime.submit(OPERATOR, { script: "return 1", language: "js", fileName: "one.js" });
  const load = async () => ({ settings, warnings: [] }) as unknown as LoadedSettings;
  const io = fakeIo();
  const context: Context & { io: FakeIo } = { io, clock, cwd: settings.dataDir, json: false, url: undefined, load };
  return { runtime, clock, context, runId: run.runId };
}

test("R-004 I-003 a run that ends between the look at it and the order to go on is shown as ended, not refused", async () => {
  const { runtime, context, runId } = await here();
  runtime.resume = async () => {
    runtime.endRun(runId, "through");
    throw fault("wrong_state", "The run is done.");
  };
  expect(await resumeCommand(context, runId)).toBe(0);
  expect(context.io.out.text()).toBe('"through"\n');
  expect(context.io.err.text()).not.toContain("already");
});

test("R-004 I-003 another wrong state is refused as it is", async () => {
  const { runtime, context, runId } = await here();
  runtime.resume = async () => {
    throw fault("wrong_state", "not now");
  };
  await expect(resumeCommand(context, runId)).rejects.toMatchObject({ code: "wrong_state", message: "not now" });
});

test("I-003 a run that ended since the command began is no run that had ended already", async () => {
  const { runtime, clock, context, runId } = await here();
  clock.advance(10);
  runtime.endRun(runId, "through");
  expect(await resumeCommand(context, runId)).toBe(0);
  expect(context.io.err.text()).not.toContain("already");
  clock.advance(10);
  expect(await resumeCommand(context, runId)).toBe(0);
  expect(context.io.err.text()).toContain(`${runId} has ended already`);
});
