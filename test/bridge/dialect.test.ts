// The dialect's part of the controller against scripts that change the world under it.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import type { Call } from "../../src/contract/calls.ts";
import { answerAll, childError, openTestHost, runScript } from "./support.ts";

const DIALECT = { models: {}, agentTypes: {}, strict: false, agentsMax: 1000 };
const META = "export const meta = { name: 'a', description: 'b' };\n";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

const run = (body: string) => runScript(host, META + body, answerAll("ok"), { dialect: DIALECT });

test("D-004 a script that redefines what the engine offers changes nothing of agent, parallel and pipeline", async () => {
  const { result } = await run(`
    const forged = () => { throw new Error('forged') };
    for (const name of ['push', 'map', 'forEach', 'slice']) Array.prototype[name] = forged;
    for (const name of ['get', 'set', 'has']) { Map.prototype[name] = forged; Set.prototype[name] = forged; }
    Promise.prototype.then = forged;
    Promise.all = forged; Object.keys = forged; Object.hasOwn = forged; JSON.stringify = forged; globalThis.Promise = forged;
    Object.prototype.models = { x: 'stolen' };
    const one = await agent('a', { label: 'l' });
    const two = await parallel([() => agent('b'), () => { throw 1 }]);
    const three = await pipeline([1, 2], (n) => agent('c' + n), (text, item, index) => [text, item, index]);
    return { one, two, three };`);
  expect(result).toEqual({
    one: "ok",
    two: ["ok", null],
    three: [
      ["ok", 1, 0],
      ["ok", 2, 1],
    ],
  });
});

test("D-006 the count of agents cannot be reached by the script, and the names are there for good", async () => {
  const { result } = await run(`
    const kept = [];
    for (const name of ['agent', 'parallel', 'pipeline', 'workflow']) {
      try { globalThis[name] = 1 } catch {}
      try { delete globalThis[name] } catch {}
      try { globalThis[name].own = 1 } catch {}
      kept.push(typeof globalThis[name], globalThis[name].own);
    }
    return [kept, typeof dialect, typeof agentsMade, typeof bridge];`);
  expect(result).toEqual([new Array(4).fill(["function", null]).flat(), "undefined", "undefined", "undefined"]);
});

test("D-002 arguments that run code of the script, and options that throw, harm nobody but the call", async () => {
  const { result, calls } = await run(`
    const ends = [];
    const options = [
      { get label() { throw new Error('getter') } },
      new Proxy({}, { ownKeys() { throw new Error('proxy') } }),
      { schema: { toJSON() { return 5 } } },
    ];
    for (const one of options) { try { agent('x', one) } catch (error) { ends.push(error.message.slice(0, 20)) } }
    ends.push(await agent('y', Object.create({ label: 'inherited' })));
    return ends;`);
  expect(result).toEqual(["getter", "proxy", "agent: option schema", "ok"]);
  expect(calls.filter(({ method }) => method === "agentSpawn")).toHaveLength(1);
});

test("D-005 an agent that the budget refuses, or cuts, throws: it is no null", async () => {
  const answering = (call: Call) => {
    if (call.method !== "agentWait") return undefined;
    const refused = call.callId < 3;
    return childError(call.callId, { status: "failed", attempts: refused ? 0 : 1, code: "budget_exceeded" }, "spent");
  };
  const { result } = await runScript(
    host,
    `${META}const ends = [];
     for (const prompt of ['refused', 'cut']) { try { ends.push(await agent(prompt)) } catch (error) { ends.push(error.code) } }
     return ends;`,
    answering,
    { dialect: DIALECT },
  );
  expect(result).toEqual(["budget_exceeded", "budget_exceeded"]);
});
