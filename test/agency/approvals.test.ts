// Asking before a tool runs: who is asked, in which order, and what a handler that fails does.

import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import { createAgent } from "../../src/agency/agent.ts";
import type { ApprovalDecision, ApprovalRequest, HitlConfig } from "../../src/agency/approvals.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import { type Reply, ScriptedHost } from "./support.ts";

/** A host whose members call `send` once, and then answer with what they read. */
function callingHost(...names: string[]): ScriptedHost {
  const queue = names.length > 0 ? names : ["send"];
  return new ScriptedHost(({ key, messages, tools }): Reply => {
    const name = queue[key.index];
    if (tools.length > 0 && name) return { toolCalls: [{ id: "c", name, input: { to: "all" } }] };
    const last = messages.at(-1);
    return last?.role === "tool" ? `read: ${last.results[0]?.text}` : "plain";
  });
}

function sender() {
  const runs: unknown[] = [];
  return { runs, tools: { send: { execute: (input: object) => runs.push(input) && "sent" } } };
}

type Answer = (request: ApprovalRequest) => unknown;

function gate(handler: Answer, more: Partial<HitlConfig> = {}): HitlConfig {
  return { approvals: { beforeTool: ["send"] }, handler: handler as HitlConfig["handler"] & object, ...more };
}

const YES = (): ApprovalDecision => ({ approved: true });

test("A-034 a listed tool waits for the handler, on a config seat and on a built one, and in a stream", async () => {
  const { runs, tools } = sender();
  const asked: ApprovalRequest[] = [];
  const host = callingHost();
  const built = createAgent({ tools }, host);
  const hitl = gate((request) => {
    asked.push(request);
    return { approved: runs.length === 0 };
  });
  const team = createAgency({ agents: { a: { tools }, built }, hitl }, host);
  const { agentCalls } = await team.generate("Go.");
  expect(asked.map(({ type, agent, action, details }) => ({ type, agent, action, details }))).toEqual([
    { type: "tool", agent: "a", action: "call send", details: { tool: "send", arguments: { to: "all" } } },
    { type: "tool", agent: "built", action: "call send", details: { tool: "send", arguments: { to: "all" } } },
  ]);
  expect(runs).toEqual([{ to: "all" }]);
  expect(agentCalls.map((call) => call.output)).toEqual(["read: sent", "read: send was not approved."]);
  await team.stream("Go.").result;
  expect(asked).toHaveLength(4);
});

test("H-013 a tool that is not listed is not asked for, and '*' lists every tool, a manager's delegates too", async () => {
  const asked: string[] = [];
  const handler = ({ action }: ApprovalRequest) => {
    asked.push(action);
    return YES();
  };
  const { tools } = sender();
  const other = { other: { execute: () => "ok" } };
  await createAgency({ agents: { a: { tools: other } }, hitl: gate(handler) }, callingHost("other")).generate("Go.");
  expect(asked).toEqual([]);
  const all: HitlConfig = { approvals: { beforeTool: ["*"] }, handler };
  const config: AgencyConfig = { model: "m", strategy: "hierarchical", agents: { a: { tools } }, hitl: all };
  const host = new ScriptedHost(({ role, key }): Reply => {
    const name = role === "manager" ? "delegate_to_a" : "send";
    return key.index === 0 ? { toolCalls: [{ id: "c", name, input: { task: "x" } }] } : "done";
  });
  await createAgency(config, host).generate("Go.");
  expect(asked).toEqual(["call delegate_to_a", "call send"]);
});

test("H-022 a rejection is told to the model with its reason, and the run goes on", async () => {
  const { runs, tools } = sender();
  const hitl = gate(() => ({ approved: false, reason: "not on a Sunday" }));
  const result = await createAgency({ agents: { a: { tools } }, hitl }, callingHost()).generate("Go.");
  expect(result.text).toBe("read: send was not approved: not on a Sunday");
  expect(runs).toEqual([]);
});

test("H-021 an approval that carries other arguments is a refusal: they are never put in", async () => {
  const { runs, tools } = sender();
  const hitl = gate(() => ({ approved: true, modifications: { toolArgs: { to: "one" } } }));
  const result = await createAgency({ agents: { a: { tools } }, hitl }, callingHost()).generate("Go.");
  expect(result.text).toBe("read: send was not approved as it was called.");
  expect(runs).toEqual([]);
  const without = gate(() => ({ approved: true, modifications: { toolArgs: null } }));
  await createAgency({ agents: { a: { tools } }, hitl: without }, callingHost()).generate("Go.");
  expect(runs).toHaveLength(1);
});

describe("a handler that fails", () => {
  const failures: [string, Partial<HitlConfig>, Answer][] = [
    [
      "throws",
      {},
      () => {
        throw new TypeError("https://hook.example/?key=sk-secret");
      },
    ],
    ["gives no decision", {}, () => null],
    ["says neither yes nor no", {}, () => ({ approved: "yes" })],
  ];

  test.each(failures)(
    "H-023 H-024 H-025 H-027 one that %s skips the tool and rejects the call when the strategy is done",
    async (_how, more, handler) => {
      const { runs, tools } = sender();
      const told: string[] = [];
      const on = {
        error: (event: { agent: string }) => void told.push(event.agent),
        agentEnd: () => void told.push("end"),
      };
      const host = callingHost();
      const team = createAgency({ agents: { a: { tools }, b: {} }, hitl: gate(handler, more), on }, host);
      await expect(team.generate("Go.")).rejects.toMatchObject({ code: "agency_approval" });
      expect(runs).toEqual([]);
      expect(host.asked[1]?.[1]).toBe("The approval handler failed, so send was not run.");
      expect(host.sent.map((request) => request.agent)).toEqual(["a", "a", "b"]);
      expect(told).toEqual(["__agency__"]);
      expect(await team.usage()).toMatchObject({ totalTokens: 36, failed: { totalTokens: 0 } });
      expect(JSON.stringify(host.sent) + JSON.stringify(host.logged)).not.toContain("sk-secret");
    },
  );

  test("H-026 after that every tool call is skipped, and nobody is asked", async () => {
    let asked = 0;
    const { runs, tools } = sender();
    const hitl = gate(() => {
      asked += 1;
      throw new TypeError("no");
    });
    const team = createAgency({ agents: { a: { tools }, b: { tools } }, hitl }, callingHost());
    await expect(team.generate("Go.")).rejects.toMatchObject({ code: "agency_approval" });
    expect([asked, runs.length]).toEqual([1, 0]);
  });

  test("H-028 a strategy that fails after it does not take its place, and goes to on.error", async () => {
    const { tools } = sender();
    const told: string[] = [];
    const on = { error: (event: { error: Error }) => void told.push(event.error.message) };
    const host = new ScriptedHost(({ key, agent }): Reply => {
      if (agent === "b") throw new RangeError("b broke");
      return key.index === 0 ? { toolCalls: [{ id: "c", name: "send", input: {} }] } : "ok";
    });
    const team = createAgency({ agents: { a: { tools }, b: {} }, hitl: gate(() => null), on }, host);
    await expect(team.generate("Go.")).rejects.toMatchObject({ code: "agency_approval" });
    expect(told).toEqual(["The approval handler gave no decision about call send.", "b broke"]);
  });

  test("A-137 a stream of such a run rejects, and ends by throwing the same error", async () => {
    const { tools } = sender();
    const stream = createAgency({ agents: { a: { tools } }, hitl: gate(() => null) }, callingHost()).stream("Go.");
    const read = async () => {
      for await (const _ of stream.fullStream);
    };
    await expect(read()).rejects.toMatchObject({ code: "agency_approval" });
    await expect(stream.result).rejects.toMatchObject({ code: "agency_approval" });
  });
});

describe("H-014 B-008 a handler that never answers is ended by the time-out", () => {
  async function play(onTimeout: HitlConfig["onTimeout"], approvals: HitlConfig["approvals"]) {
    const { runs, tools } = sender();
    const host = callingHost();
    let arrived = (): void => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const hitl: HitlConfig = {
      approvals,
      onTimeout,
      handler: () => {
        arrived();
        return new Promise(() => {});
      },
    };
    const pending = createAgency({ agents: { a: { tools } }, hitl }, host).generate("Go.");
    pending.catch(() => {});
    await asked;
    host.clock.advance(29_999);
    expect(host.clock.timerCount).toBe(1);
    host.clock.advance(1);
    return { pending, runs };
  }

  test("H-014 B-008 by default after 30 seconds, as a rejection", async () => {
    const { pending, runs } = await play(undefined, { beforeTool: ["send"] });
    expect((await pending).text).toBe("read: send was not approved: no answer within 30000 ms");
    expect(runs).toEqual([]);
  });

  test("H-014 'approve' lets it run, 'error' fails the call", async () => {
    const approved = await play("approve", { beforeTool: ["send"] });
    expect((await approved.pending).text).toBe("read: sent");
    const failed = await play("error", { beforeTool: ["send"] });
    await expect(failed.pending).rejects.toMatchObject({ code: "agency_approval" });
  });

  test("H-014 B-008 a member's approval and that of the final text as well", async () => {
    expect((await (await play(undefined, { beforeAgent: ["a"] })).pending).text).toBe("");
    await expect((await play(undefined, { beforeReturn: true })).pending).rejects.toMatchObject({
      message: "The final text was not approved: no answer within 30000 ms",
    });
  });
});

describe("H-031 a parent's gate holds inside the agencies it nests", () => {
  function nested(outer: Answer, inner: Answer) {
    const { runs, tools } = sender();
    const order: string[] = [];
    const told =
      (who: string, answer: Answer): Answer =>
      (request) => {
        order.push(who);
        return answer(request);
      };
    const host = callingHost();
    const team = createAgency({ agents: { a: { tools } }, hitl: gate(told("inner", inner)) }, host);
    return {
      runs,
      order,
      team: createAgency({ agents: { team }, hitl: gate(told("outer", outer)) }, host),
      inner: team,
    };
  }

  test("H-031 it is asked first, and the nested one only after its approval", async () => {
    const both = nested(YES, YES);
    expect((await both.team.generate("Go.")).text).toBe("read: sent");
    expect(both.order).toEqual(["outer", "inner"]);
    const refused = nested(() => ({ approved: false }), YES);
    expect((await refused.team.generate("Go.")).text).toBe("read: send was not approved.");
    expect(refused.order).toEqual(["outer"]);
    expect(refused.runs).toEqual([]);
  });

  test("H-031 a parent's handler that fails rejects the parent's call, while the nested one completes", async () => {
    const { team, inner } = nested(() => null, YES);
    await expect(team.generate("Go.")).rejects.toMatchObject({ code: "agency_approval" });
    expect(await inner.usage()).toMatchObject({ totalTokens: 24, failed: { totalTokens: 0 } });
  });
});

test("H-036 a final text that is refused fails the call with the reason", async () => {
  const hitl: HitlConfig = {
    approvals: { beforeReturn: true },
    handler: () => ({ approved: false, reason: "off brand" }),
  };
  await expect(createAgency({ agents: { a: {} }, hitl }, callingHost()).generate("Go.")).rejects.toMatchObject({
    code: "agency_approval",
    message: "The final text was not approved: off brand",
  });
});

test("H-039 a beforeAgent handler that throws rejects the call", async () => {
  const hitl: HitlConfig = {
    approvals: { beforeAgent: ["a"] },
    handler: () => {
      throw new TypeError("down");
    },
  };
  await expect(createAgency({ agents: { a: {} }, hitl }, callingHost()).generate("Go.")).rejects.toMatchObject({
    code: "agency_approval",
    cause: { message: "down" },
  });
});
