// The scripts that are killed, each with everything that must be true when it has ended, whatever
// happened in between: how it ended, which children it asked for, what it noted.

import type { SavedWorkflow } from "../../../src/contract/api.ts";
import type { Budget } from "../../../src/contract/budget.ts";
import type { Json } from "../../../src/contract/json.ts";

export interface Job {
  /** Idempotency key of the submit. */
  key: string;
  script: string;
  /** Absent: the script's args are undefined. */
  args?: Json;
  /** Saved ones that it may call. */
  workflows?: SavedWorkflow[];
  budget?: Budget;
  end: { state: "done"; result: Json } | { state: "failed"; code: string };
  /** One entry for each child. */
  prompts: string[];
  notes: string[];
}

type Shape = Omit<Job, "key" | "args" | "notes"> & Partial<Pick<Job, "args" | "notes">>;

const answer = (prompt: string): string => `A(${prompt})`;
const numbered = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

/** Kinds of scripts; `n` makes each one's prompts its own. */
const KINDS: { [kind: string]: (n: number) => Shape } = {
  fanOut(n) {
    const prompts = numbered(2 + (n % 5), `f${n}-`);
    return {
      script: `phase("fan"); const all = await Promise.all(args.map((p) => agents.run(p))); log("got", all.length); return all.join("|");`,
      args: prompts,
      end: { state: "done", result: prompts.map(answer).join("|") },
      prompts,
      notes: ["fan", `got ${prompts.length}`],
    };
  },
  chain(n) {
    const prompts = numbered(4, `c${n}-`);
    return {
      script: `const all = []; for (const p of args) { all.push(await agents.run(p)); await sleep(2 + all.length); log(p); } return all;`,
      args: prompts,
      end: { state: "done", result: prompts.map(answer) },
      prompts,
      notes: prompts,
    };
  },
  drained(n) {
    const prompts = numbered(4, `d${n}-`);
    const script = `
      const open = new Map(args.map((p) => agents.spawn(p)).map((c) => [c.runId, c]));
      const got = [];
      while (open.size > 0) {
        const { completed } = await agents.wait([...open.keys()]);
        for (const c of completed) { open.delete(c.runId); got.push(c.result); }
      }
      return got.sort();`;
    return { script, args: prompts, end: { state: "done", result: prompts.map(answer).sort() }, prompts };
  },
  caught: (n) => ({
    script: `try { await agents.run("fail ${n}"); } catch (e) { return [e.name, e.status, e.code]; }`,
    end: { state: "done", result: ["SwarmAgentError", "failed", "child_failed"] },
    prompts: [`fail ${n}`],
  }),
  retried: (n) => ({
    script: `return agents.run("flaky ${n}", { retries: 20 });`,
    end: { state: "done", result: answer(`flaky ${n}`) },
    prompts: [`flaky ${n}`],
  }),
  dialog: (n) => ({
    script: `const s = agents.session("brief"); const first = await s.send("one ${n}"); const second = await s.send("two ${n}"); s.close(); return [first, second];`,
    end: { state: "done", result: [`${answer(`one ${n}`)} after 0`, `${answer(`two ${n}`)} after 2`] },
    prompts: [`one ${n}`, `two ${n}`],
  }),
  cancelled: (n) => ({
    script: `const slow = agents.spawn("hold ${n}"); const quick = await agents.run("quick ${n}"); await slow.cancel("enough"); try { await slow.result; } catch (e) { return [quick, e.status]; }`,
    end: { state: "done", result: [answer(`quick ${n}`), "killed"] },
    prompts: [`hold ${n}`, `quick ${n}`],
  }),
  overdue: (n) => ({
    script: `try { await agents.run("hold over ${n}", { timeoutMs: 12 }); } catch (e) { return [e.status, e.code]; }`,
    end: { state: "done", result: ["timeout", "child_timeout"] },
    prompts: [`hold over ${n}`],
  }),
  impatient: (n) => ({
    script: `const c = agents.spawn("hold on ${n}"); const { completed, pending } = await agents.wait([c.runId], { timeoutSeconds: 0.01 }); await c.cancel(); return [completed.length, pending.length];`,
    end: { state: "done", result: [0, 1] },
    prompts: [`hold on ${n}`],
  }),
  generated(n) {
    const prompts = numbered(3, `g${n}-`);
    const script = `
      async function* lines() { try { for (let i = 0; i < 9; i++) yield await agents.run("g${n}-" + i); } finally { log("closed"); } }
      const seen = [];
      for await (const line of lines()) { seen.push(line); if (seen.length === 3) break; }
      return seen;`;
    return { script, end: { state: "done", result: prompts.map(answer) }, prompts, notes: ["closed"] };
  },
  growing(n) {
    const prompts = numbered(18, `m${n}-`);
    return {
      script: `const rows = new Map(); for (const p of args) rows.set(await agents.run(p), p.repeat(2000)); return [...rows].map(([k, v]) => k + v.length);`,
      args: prompts,
      end: { state: "done", result: prompts.map((p) => `${answer(p)}${p.length * 2000}`) },
      prompts,
    };
  },
  stepped: (n) => ({
    script: `return agents.run("steps 3 ${n}");`,
    end: { state: "done", result: answer(`steps 3 ${n}`) },
    prompts: [`steps 3 ${n}`],
  }),
  valued: (n) => ({
    script: `return (await agents.run("value ${n}", { schema: { type: "object", properties: { letters: { type: "number" } } } })).letters;`,
    end: { state: "done", result: `value ${n}`.length },
    prompts: [`value ${n}`],
  }),
  thrown: (n) => ({
    script: `agents.spawn("hold z${n}"); await agents.run("before ${n}"); throw new Error("planned");`,
    end: { state: "failed", code: "script_error" },
    prompts: [`hold z${n}`, `before ${n}`],
  }),
  left: (n) => ({
    script: `agents.spawn("left ${n}"); log("gone"); return "gone";`,
    end: { state: "done", result: "gone" },
    prompts: [`left ${n}`],
    notes: ["gone"],
  }),
  /** Ends by a fault of the host, outside any turn: more calls wait than the settings allow. */
  greedy: (n) => ({
    script: `await agents.run("before ${n}"); for (let i = 0; i < 100; i++) sleep("1h"); await sleep("1h");`,
    end: { state: "failed", code: "too_many_calls" },
    prompts: [`before ${n}`],
  }),
  endless: () => ({
    script: `await new Promise(() => {});`,
    end: { state: "failed", code: "deadlock" },
    prompts: [],
  }),
};

export const JOB_KINDS = Object.keys(KINDS);

export function jobOf(kind: string, n: number): Job {
  const shape = KINDS[kind]?.(n);
  if (!shape) throw new Error(`there is no kind of job ${kind}`);
  return { args: null, notes: [], ...shape, key: `${kind}-${n}` };
}

/** Jobs of every kind in turn, numbered from `from`. */
export function jobsFrom(from: number, count: number): Job[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    return jobOf(JOB_KINDS[n % JOB_KINDS.length] ?? "", n);
  });
}
