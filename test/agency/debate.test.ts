import { expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import { numbered, ScriptedHost } from "./support.ts";

const CONFIG = {
  model: "openai:gpt-6-astra",
  instructions: "Judge by substance.",
  strategy: "debate",
  agents: { proponent: {}, critic: {} },
} satisfies AgencyConfig;

const MOTION = "Is remote work better?";
const TURN_TASK =
  "It is your turn. Quote the strongest opposing claim, attack it, and add one new point. Write about 150 words.";

function turn(...transcript: string[]): string {
  return `Motion: ${MOTION}\n\nTranscript so far:\n${transcript.join("\n\n")}\n\n${TURN_TASK}`;
}

test("A-071 A-072 A-073 the opening gets the motion alone, every later turn all that was said before and its task", async () => {
  const host = new ScriptedHost(numbered());
  await createAgency({ ...CONFIG, maxRounds: 2 }, host).generate(MOTION);
  const first = "[proponent, round 1]:\nproponent says 1";
  const second = "[critic, round 1]:\ncritic says 1";
  const third = "[proponent, round 2]:\nproponent says 2";
  expect(host.asked.slice(0, 4)).toEqual([
    ["proponent", MOTION],
    ["critic", turn(first)],
    ["proponent", turn(first, second)],
    ["critic", turn(first, second, third)],
  ]);
});

test("A-070 A-074 A-031 N members over three rounds make 3N calls and the judge's, which reads everything", async () => {
  const host = new ScriptedHost(numbered());
  const result = await createAgency(CONFIG, host).generate(MOTION);
  expect(host.sent.map((request) => request.agent).join(" ")).toBe(
    "proponent critic proponent critic proponent critic __agency__",
  );
  const judge = host.sent[6];
  expect(judge).toMatchObject({ role: "judge", route: { seat: { model: "openai:gpt-6-astra" } } });
  expect(judge?.system).toMatch(/\n\nJudge by substance\.$/);
  expect(host.asked[6]?.[1]).toContain("[critic, round 3]:\ncritic says 3");
  expect(result).toMatchObject({ text: "__agency__ says 1", provider: "openai", model: "gpt-4.1" });
  expect(result.agentCalls).toHaveLength(6);
  expect(result.usage.totalTokens).toBe(7 * 12);
});

test("A-075 a rejected turn is sat out", async () => {
  const host = new ScriptedHost(numbered());
  const hitl = { approvals: { beforeAgent: ["proponent"] }, handler: () => ({ approved: false }) };
  const result = await createAgency({ ...CONFIG, hitl, maxRounds: 2 }, host).generate(MOTION);
  expect(host.asked.slice(0, 2)).toEqual([
    ["critic", MOTION],
    ["critic", turn("[critic, round 1]:\ncritic says 1")],
  ]);
  expect(result.agentCalls.map((call) => call.agent)).toEqual(["critic", "critic"]);
});

test("A-076 A-018 B-014 when every turn is sat out no verdict is written", async () => {
  const host = new ScriptedHost(numbered());
  const hitl = { approvals: { beforeAgent: ["proponent", "critic"] }, handler: () => ({ approved: false }) };
  expect((await createAgency({ ...CONFIG, hitl }, host).generate(MOTION)).text).toBe("");
  expect(host.sent).toEqual([]);
});
