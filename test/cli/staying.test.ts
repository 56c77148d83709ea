import { expect, test } from "vitest";
import { overRestarts, RENEWALS_APART_MS, RENEWALS_MAX } from "../../src/cli/staying.ts";
import { fault } from "../../src/contract/fault.ts";
import { ManualClock } from "../support/manual-clock.ts";

const away = (): Error => fault("gateway_unreachable", "gone");

function staying() {
  const clock = new ManualClock();
  const said: string[] = [];
  const counts = { renewals: 0 };
  const link = {
    renew: async () => {
      counts.renewals += 1;
    },
  };
  const controller = new AbortController();
  return { clock, said, counts, controller, link, signal: controller.signal, say: (line: string) => said.push(line) };
}

test("I-002 a gateway that keeps going away is replaced a bounded number of times in a row", async () => {
  const here = staying();
  await expect(overRestarts(here as never, () => Promise.reject(away()))).rejects.toMatchObject({
    code: "gateway_unreachable",
  });
  expect([here.counts.renewals, here.said.length]).toEqual([RENEWALS_MAX, RENEWALS_MAX]);
});

test("I-002 replacements that are far apart are not counted together", async () => {
  const here = staying();
  let asked = 0;
  const answer = await overRestarts(here as never, async () => {
    asked += 1;
    here.clock.advance(RENEWALS_APART_MS + 1);
    if (asked <= RENEWALS_MAX * 3) throw away();
    return "there";
  });
  expect([answer, here.counts.renewals]).toEqual(["there", RENEWALS_MAX * 3]);
});

test("I-005 another error, and any error after an interrupt, is thrown at once", async () => {
  const here = staying();
  const refused = fault("not_found", "nothing there");
  await expect(overRestarts(here as never, () => Promise.reject(refused))).rejects.toBe(refused);
  here.controller.abort();
  await expect(overRestarts(here as never, () => Promise.reject(away()))).rejects.toMatchObject({
    code: "gateway_unreachable",
  });
  expect(here.counts.renewals).toBe(0);
});
