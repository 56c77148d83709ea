// Random programs as a person could write them: sequences, everything at once, races, loops with
// closures, generators, sessions, cancels. Whatever such a program answers depends on the order alone in
// which its children and sleeps end.

import fc from "fast-check";

export type Part =
  | { do: "run" | "fail" | "reject" | "note" }
  | { do: "sleep" | "patience"; ms: number }
  | { do: "session" | "drain"; count: number }
  | { do: "seq" | "all" | "settled" | "race" | "any" | "map"; parts: Part[] }
  | { do: "generator"; parts: Part[]; take: number }
  | { do: "loop"; times: number; body: Part }
  | { do: "throw" | "handle" | "cancel"; body: Part }
  | { do: "finally"; body: Part; last: Part };

const small = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });

const { part } = fc.letrec<{ part: Part; leaf: Part; parts: Part[] }>((tie) => ({
  leaf: fc.oneof(
    { weight: 6, arbitrary: fc.constant({ do: "run" as const }) },
    { weight: 2, arbitrary: fc.constantFrom({ do: "fail" as const }, { do: "note" as const }) },
    { weight: 1, arbitrary: fc.constant({ do: "reject" as const }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("sleep", "patience"), ms: small(5_000) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("session", "drain"), count: small(3) }) },
  ),
  parts: fc.array(tie("part"), { minLength: 1, maxLength: 3 }),
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: tie("leaf") },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom("seq", "all", "settled", "race", "any", "map"),
        parts: tie("parts"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("generator" as const), parts: tie("parts"), take: small(3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("loop" as const), times: small(3), body: tie("part") }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("throw", "handle", "cancel"), body: tie("part") }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("finally" as const), body: tie("part"), last: tie("part") }) },
  ),
}));

/** Two to four parts, so that there is something to come back to. */
export const programs: fc.Arbitrary<Part> = fc.record({
  do: fc.constantFrom("seq", "all", "settled", "map"),
  parts: fc.array(part, { minLength: 2, maxLength: 4, size: "max" }),
});

/** Whether the answer depends on which turn an answer comes in as well, and not on the order of answers alone. */
export function looksAround(each: Part): boolean {
  if (each.do === "cancel" || each.do === "drain" || each.do === "patience") return true;
  const inside =
    "parts" in each ? each.parts : "last" in each ? [each.body, each.last] : "body" in each ? [each.body] : [];
  return inside.some(looksAround);
}

/** The program as a script. Its result holds its value, the order in which it saw its children end, and what they used. */
export function scriptOf(program: Part): string {
  return `const trace = [];
let n = 0;
const saw = (promise, prompt) => promise.then(
  (text) => { trace.push(prompt); return text; },
  (error) => { if (error.status === "failed") trace.push(prompt); throw error; });
const ask = (word) => { const prompt = word + " " + n++; return saw(agents.run(prompt), prompt); };
const start = (word) => { const prompt = word + " " + n++; const h = agents.spawn(prompt); saw(h.result, prompt).catch(() => {}); return h; };
const value = ${textOf(program)};
return { value, trace, spent: budget.spent() };`;
}

/** An expression of an async function's body. */
function textOf(each: Part): string {
  switch (each.do) {
    case "run":
      return `await ask("p")`;
    case "fail":
      return `await ask("fail").catch((e) => [e.name, e.status])`;
    case "reject":
      return `await ask("fail")`;
    case "note":
      return `(phase("phase " + n), log("at", n), "noted")`;
    case "sleep":
      return `(await sleep(${each.ms}), "slept")`;
    case "patience":
      return closure(`const h = start("w"); const { completed, pending } = await agents.wait([h.runId], { timeoutSeconds: ${each.ms / 1000} });
        return [completed.length, pending.length, await h.result];`);
    case "session":
      return closure(`const s = agents.session("brief"); const out = [];
        for (let i = 0; i < ${each.count}; i++) { const p = "s " + n++; out.push(await saw(s.send(p), p)); }
        s.close(); return out;`);
    case "drain":
      return closure(`const open = new Map(); for (let i = 0; i < ${each.count}; i++) { const h = start("d"); open.set(h.runId, i); }
        const out = [];
        while (open.size > 0) for (const c of (await agents.wait([...open.keys()])).completed) { out.push([open.get(c.runId), c.result]); open.delete(c.runId); }
        return out;`);
    default:
      return composedText(each);
  }
}

function composedText(each: Extract<Part, { parts: Part[] } | { body: Part }>): string {
  switch (each.do) {
    case "seq":
      return `[${each.parts.map(textOf).join(", ")}]`;
    case "all":
    case "race":
      return `await Promise.${each.do}(${begun(each.parts)})`;
    case "settled":
      return `(await Promise.allSettled(${begun(each.parts)})).map((r) => [r.status, r.value ?? null])`;
    case "any":
      return `await Promise.any(${begun(each.parts)}).catch((e) => e.errors.length)`;
    case "map":
      return closure(
        `const m = new Map(); await Promise.all(${each.parts
          .map((one, i) => `(async () => m.set("k${i}", ${textOf(one)}))()`)
          .reduce((list, one) => `${list}${one}, `, "[")}]); return [...m];`,
      );
    case "generator":
      return closure(`async function* each() { try { ${each.parts.map((one) => `yield ${textOf(one)};`).join(" ")} } finally { log("left"); } }
        const out = []; for await (const one of each()) { out.push(one); if (out.length === ${each.take}) break; } return out;`);
    case "loop":
      return closure(`const later = []; for (let i = 0; i < ${each.times}; i++) { const got = ${textOf(each.body)}; later.push(() => [i, got]); }
        return later.map((f) => f());`);
    case "throw":
      return closure(
        `try { const got = ${textOf(each.body)}; throw new RangeError("planned"); } catch (e) { return e.message; }`,
      );
    case "handle":
      return closure(`const h = start("h"); const mid = ${textOf(each.body)}; return [mid, await h.result];`);
    case "cancel":
      return closure(`const h = start("c"); const mid = ${textOf(each.body)}; await h.cancel("over");
        return [mid, await h.result.catch((e) => e.status)];`);
    case "finally":
      return closure(
        `try { return ${textOf(each.body)}; } finally { const last = ${textOf(each.last)}; log("finally", last !== undefined); }`,
      );
  }
}

function closure(body: string): string {
  return `await (async () => { ${body} })()`;
}

/** All of them started in this order. */
function begun(parts: Part[]): string {
  return `[${parts.map((one) => `(async () => ${textOf(one)})()`).join(", ")}]`;
}
