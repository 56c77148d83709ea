// A script that parks in the middle of nearly everything the language has, and the answers to its calls.

export const RICH_SCRIPT = String.raw`
  const trace = [];
  let sum = 0;
  const grow = (by) => { sum += by; return sum; };
  const symbol = Symbol("only here");
  class Counter {
    #count = 1;
    static made = 0;
    constructor(name) { this.name = name; Counter.made++; }
    get count() { return this.#count; }
    async load(key) { this.#count += await host.load(key); return this; }
  }
  class Doubled extends Counter {
    async load(key) { await super.load(key); grow(this.count * 2); return this; }
  }
  const key = {};
  const table = new Map([["list", new Set([1, 2])], [key, "by identity"]]);
  const weak = new WeakMap([[key, "weakly"]]);
  const data = {
    [symbol]: 7n ** 30n,
    when: new Date(86_400_000),
    pattern: /(?<year>\d{4})-(?<rest>.*)/u,
    floats: new Float64Array([0.5, -0, NaN]),
    bytes: new Uint8Array(5000).fill(9),
  };
  data.self = data;
  function* steps() {
    let at = 10;
    try { for (;;) at += (yield at) ?? 1; } finally { trace.push("steps closed"); }
  }
  const walking = steps();
  walking.next(); walking.next(5);
  async function* pages() {
    try { for (let page = 0; ; page++) { const got = await host.page(page); if (got === null) return; yield got; } }
    finally { trace.push("pages closed"); }
  }
  const reading = (async () => {
    const got = [];
    for await (const page of pages()) got.push(page);
    return got.join("+");
  })();
  let outcome;
  try {
    try {
      outcome = await Promise.all([host.echo({ deep: [1, { text: "é\u0000😀" }] }), new Doubled("two").load("k"), reading]);
      await host.fail("inner");
    } catch (error) {
      trace.push("caught " + error.message);
      await host.echo("while catching");
      throw new TypeError("again", { cause: error });
    } finally {
      trace.push("first finally " + (await host.echo("in finally")));
    }
  } catch (error) {
    trace.push(error.name + " because of " + error.cause.message);
  } finally {
    grow(100);
  }
  const settled = await Promise.allSettled([
    host.fail("one"),
    Promise.race([host.echo("fast"), new Promise(() => {})]),
    Promise.any([host.fail("two"), host.echo("any")]),
    (async () => { await null; return [...table.get("list")]; })(),
  ]);
  const next = walking.next(2).value;
  walking.return();
  const year = data.pattern.exec("2031-x").groups.year;
  label: for (const row of [1, 2, 3]) {
    for (const column of [1, 2, 3]) {
      if (column === row) continue label;
      grow(await host.echo(row * column));
    }
  }
  return {
    sum, trace, next, year, made: Counter.made, echoed: outcome[0], name: outcome[1].name, count: outcome[1].count,
    read: outcome[2], settled: settled.map((one) => one.status + ":" + (one.reason?.message ?? one.value)),
    big: String(data[symbol]), when: data.when.toISOString(), floats: [...data.floats].map(String),
    zero: Object.is(data.floats[1], -0), bytes: data.bytes.reduce((a, b) => a + b, 0), self: data.self === data,
    identity: table.get(key), weak: weak.get(key), done: walking.next().done,
  };
`;

export type RichAnswer = { ok: true; value: unknown } | { ok: false; message: string };

/** The answer to `host.<method>(argument)`. */
export function richAnswer(method: string, argument: unknown): RichAnswer {
  if (method === "fail") return { ok: false, message: `failed ${String(argument)}` };
  if (method === "load") return { ok: true, value: 41 };
  if (method === "page") return { ok: true, value: Number(argument) < 3 ? `page ${String(argument)}` : null };
  return { ok: true, value: argument };
}
