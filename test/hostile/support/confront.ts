// One hostile script against the real runtime, with a neighbour in progress on the same worker: starts both,
// restarts and damages where the header says so, and reads how it ended.

import { isFault } from "../../../src/contract/fault.ts";
import type { RunRecord } from "../../../src/contract/records.ts";
import { damageSnapshots } from "./damage.ts";
import { loopProblems, moment } from "./loop-watch.ts";
import { Neighbour } from "./neighbour.ts";
import type { HostileScript } from "./script.ts";
import { storedMemories } from "./stored-memory.ts";
import { type End, problemsOf } from "./verdict.ts";
import { type HostileWorld, OPERATOR, STRANGER } from "./world.ts";

const TEN_MINUTES_MS = 600_000;
/** A run that waits, while nothing else happens, for so many turns of the event loop is parked. */
const QUIET_MOMENTS = 200;
const RESTART_PROMPTS = ["hold restart one", "hold restart two"];

export interface Confrontation {
  end: End;
  /** Longest time that the gateway's own thread did nothing else, milliseconds. */
  blockedMs: number;
  /** What is wrong with the end, and with the neighbour's answer. */
  problems: string[];
}

/** @param seed makes the neighbour's answer its own */
export async function confront(world: HostileWorld, script: HostileScript, seed: number): Promise<Confrontation> {
  const neighbour = await Neighbour.begin(world, script.name, seed);
  const end = await attack(world, script, neighbour);
  const blockedMs = await world.loop.blockedMs();
  const problems = [...problemsOf(script.expectation, end), ...(await neighbour.finish()), ...loopProblems(blockedMs)];
  for (const { work } of [...world.runner.open.values()]) {
    if (work.prompt.startsWith("hold")) await world.runtime.stop(OPERATOR, work.childId);
  }
  world.runner.forget();
  return { end, blockedMs, problems: problems.map((problem) => `${script.name}: ${problem}`) };
}

async function attack(world: HostileWorld, script: HostileScript, neighbour: Neighbour): Promise<End> {
  const args = { foreign: neighbour.foreign };
  let run: RunRecord;
  try {
    run = await world.submit(STRANGER, { script: script.text, language: script.language, args, model: script.model });
  } catch (error) {
    await neighbour.goOn();
    if (!isFault(error)) throw error;
    return { state: "refused", code: error.code, message: error.message, notes: 0, children: 0 };
  }
  await neighbour.goOn();
  const whileDown = async (): Promise<void> => {
    const { damage, forgets } = script;
    if (damage) damageSnapshots(world.dataDir, damage, run.runId, neighbour.runId);
    if (forgets) remembered = isRemembered(await storedMemories(world.dataDir), run.runId, forgets);
  };
  let remembered = false;
  for (const prompt of RESTART_PROMPTS.slice(0, script.restarts)) {
    await world.runner.started(prompt);
    await world.restart(whileDown);
    (await world.runner.started(prompt)).done("held");
  }
  const isPatient = script.clockRuns || script.expectation.codes.includes("parked");
  const ended = isPatient ? await watch(world, script, run.runId) : await world.runtime.runEnded(OPERATOR, run.runId);
  return { ...(await endOf(world, ended)), remembered };
}

/** The words of `forgets` stand apart in the header, so that the script's own text does not hold them together. */
function isRemembered(memories: Map<string, Buffer>, runId: string, forgets: string): boolean {
  const memory = memories.get(runId);
  if (!memory?.includes(forgets.split(" ")[0] ?? "")) throw new RangeError(`the memory of ${runId} was not found`);
  return memory.includes(forgets.replaceAll(" ", "-"));
}

/** Waits for the end of a run while time goes on, or until it is plain that it waits for ever. */
async function watch(world: HostileWorld, script: HostileScript, runId: string): Promise<RunRecord> {
  for (let quiet = 0; ; ) {
    await moment();
    const run = await world.runtime.run(OPERATOR, runId);
    if (run.endedAt !== undefined) return run;
    const isBusy = run.state !== "waiting" || world.runtime.health().activeRuns > 0;
    quiet = isBusy ? 0 : quiet + 1;
    if (!isBusy && script.clockRuns) world.clock.advance(TEN_MINUTES_MS);
    if (quiet < QUIET_MOMENTS || script.clockRuns) continue;
    await world.runtime.stop(OPERATOR, runId, "it is parked");
    return run;
  }
}

async function endOf(world: HostileWorld, run: RunRecord): Promise<End> {
  const { notes, children } = await world.runtime.runDetail(OPERATOR, run.runId);
  const state = run.state === "running" || run.state === "waiting" ? "parked" : run.state;
  const { code, message } = run.error ?? {};
  return { state, value: run.result, code, message, notes: notes.length, children: children.length };
}
