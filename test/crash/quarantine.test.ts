import { expect, test } from "vitest";
import { RESUME_CRASHES_MAX } from "../../src/contract/limits.ts";
import type { Job } from "./support/jobs.ts";
import { Supervisor } from "./support/supervisor.ts";

/** All of them get their answer, and so their next turn, at the same time; the oldest one is first. */
const JOBS: Job[] = ["poison", "neighbour-1", "neighbour-2", "neighbour-3"].map((key) => ({
  key,
  script: `const word = await agents.run("gate " + args); log("after"); return word;`,
  args: key,
  end: { state: "done", result: `A(gate ${key})` },
  prompts: [`gate ${key}`],
  notes: ["after"],
}));

test("R-004 a run whose resume takes the process down three times is put aside with the reason, its neighbours finish, and resume releases it", async () => {
  const supervisor = new Supervisor();
  await supervisor.start({ kill: { point: "beforeChildStart", occurrence: JOBS.length } });
  supervisor.submit(...JOBS);
  expect(await supervisor.host?.death).toMatchObject({ signal: "SIGKILL" });
  for (let resume = 1; resume <= RESUME_CRASHES_MAX; resume += 1) {
    await supervisor.start({ gates: true, paced: false, kill: { point: "beforeTurn", occurrence: 1 } });
    supervisor.submit();
    expect(await supervisor.host?.death, `resume ${resume}`).toMatchObject({ signal: "SIGKILL" });
  }
  await supervisor.start({ gates: true });
  supervisor.submit();
  const stored = await supervisor.finish();
  const [poison] = stored?.runs.filter((run) => run.name === "poison") ?? [];
  expect(poison).toMatchObject({ state: "quarantined", error: { code: "run_quarantined" } });
  expect(poison?.error?.message).toContain(`${RESUME_CRASHES_MAX} times`);
  expect(stored?.runs.filter(({ state }) => state === "done")).toHaveLength(JOBS.length - 1);
  await supervisor.release();
  const released = await supervisor.finish();
  expect(released && supervisor.check(released)).toEqual([]);
  await supervisor.close();
});
