import { join } from "node:path";
import { expect, test } from "vitest";
import { type Job, jobOf, jobsFrom } from "./support/jobs.ts";
import { mountSmallDisk, whyNoSmallDisk } from "./support/small-disk.ts";
import { Supervisor } from "./support/supervisor.ts";

const DISK_MEBIBYTES = 8;
const WAITING = 3;
/** Far more submits than the space that files have kept for themselves can take. */
const SUBMITS_MAX = 400;
const BURST = 20;

/** A run with a child that ends when the gates are opened. */
function gated(n: number): Job {
  const answer = `A(gate ${n})`;
  return {
    key: `gated-${n}`,
    script: `const word = await agents.run("gate ${n}"); log("after"); return word;`,
    args: null,
    end: { state: "done", result: answer },
    prompts: [`gate ${n}`],
    notes: ["after"],
  };
}

const reason = whyNoSmallDisk();
if (reason !== undefined) {
  test("a full disk is not shown here: it takes a file system that only root may mount", () => {
    expect(reason).toMatch(/mount/);
  });
} else {
  test("R-002 L1 L6 on a full disk submits are refused with storage_full and leave nothing, and running work goes on when space is back", async () => {
    const disk = mountSmallDisk(DISK_MEBIBYTES);
    const supervisor = new Supervisor({ dataDir: join(disk.path, "data") });
    await supervisor.start();
    supervisor.submit(...Array.from({ length: WAITING }, (_, n) => gated(n)), ...jobsFrom(0, 8));
    await supervisor.untilAnswered();
    disk.fill();
    for (let n = 0; supervisor.refusals.length === 0 && n < SUBMITS_MAX; n += BURST) {
      supervisor.submit(...Array.from({ length: BURST }, (_, index) => jobOf("fanOut", 1_000 + n + index)));
      await supervisor.untilAnswered();
    }
    expect(new Set(supervisor.refusals.map(({ code }) => code))).toEqual(new Set(["storage_full"]));
    const refused = supervisor.refusals.map(({ key }) => key);
    const full = await supervisor.host?.ask({ what: "dump" }, "dump");
    expect(full?.runs.filter(({ name }) => refused.includes(name))).toEqual([]);
    // Children end while nothing can be written.
    await supervisor.host?.ask({ what: "gates" }, "opened");
    const health = await supervisor.host?.ask({ what: "health" }, "health");
    expect(health?.health.storage).toEqual({ ok: false, reason: "storage_full" });
    disk.free();
    const stored = await supervisor.finish();
    expect(stored && supervisor.check(stored)).toEqual([]);
    expect(supervisor.complaints).toEqual([]);
    expect(supervisor.incarnations).toBe(1);
    await supervisor.close();
  });
}
