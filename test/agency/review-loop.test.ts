import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import { ScriptedHost } from "./support.ts";

const CONFIG = {
  strategy: "review-loop",
  agents: { drafter: { model: "openai:gpt-6-astra" }, reviewer: { model: "anthropic:claude-opus-5-5" } },
} satisfies AgencyConfig;

/** The reviewer's replies in turn; the drafter numbers its drafts. */
function hostWith(...reviews: string[]): ScriptedHost {
  let drafts = 0;
  return new ScriptedHost(({ agent }) => (agent === "drafter" ? `draft ${++drafts}` : (reviews.shift() ?? "no")));
}

const NO = '{"approved": false, "feedback": "too long"}';
const YES = '{"approved": true, "feedback": ""}';

test("A-077 A-080 the first member writes, the second reviews, each on its own model", async () => {
  const host = hostWith(NO, YES);
  const result = await createAgency(CONFIG, host).generate("Announce it.");
  const form = 'Review the draft. Answer with JSON alone: { "approved": boolean, "feedback": string }';
  expect(host.asked).toEqual([
    ["drafter", "Announce it."],
    ["reviewer", `Original task: Announce it.\n\nDraft:\ndraft 1\n\n${form}`],
    [
      "drafter",
      "Original task: Announce it.\n\nYour draft:\ndraft 1\n\nFeedback of the reviewer:\ntoo long\n\nRevise the draft.",
    ],
    ["reviewer", `Original task: Announce it.\n\nDraft:\ndraft 2\n\n${form}`],
  ]);
  expect(host.sent.map((request) => request.route.seat.model)).toEqual([
    "openai:gpt-6-astra",
    "anthropic:claude-opus-5-5",
    "openai:gpt-6-astra",
    "anthropic:claude-opus-5-5",
  ]);
  expect(result.text).toBe("draft 2");
});

test("A-023 the result names no provider and no model", async () => {
  const result = await createAgency(CONFIG, hostWith(YES)).generate("Announce it.");
  expect(result).not.toHaveProperty("provider");
  expect(result).not.toHaveProperty("model");
});

test("A-078 without an approval the loop ends after three rounds, or maxRounds", async () => {
  const three = hostWith(NO, NO, NO, NO);
  expect((await createAgency(CONFIG, three).generate("Go.")).text).toBe("draft 3");
  expect(three.sent).toHaveLength(6);
  const one = hostWith(NO);
  expect((await createAgency({ ...CONFIG, maxRounds: 1 }, one).generate("Go.")).text).toBe("draft 1");
  expect(one.sent).toHaveLength(2);
});

test("A-079 a reply that is not JSON is no approval, and is handed to the drafter as it is", async () => {
  const host = hostWith("approved: true", YES);
  expect((await createAgency(CONFIG, host).generate("Go.")).text).toBe("draft 2");
  expect(host.asked[2]?.[1]).toContain("Feedback of the reviewer:\napproved: true");
});

describe("B-013 the reviewer's JSON is read where it stands", () => {
  test.each([
    ["in a fence", `Here:\n\`\`\`json\n${YES}\n\`\`\`\nDone.`],
    ["within a text", `My verdict is ${YES}, as agreed.`],
  ])("B-013 A-147 %s", async (_where, review) => {
    expect((await createAgency(CONFIG, hostWith(review)).generate("Go.")).text).toBe("draft 1");
  });

  test("B-013 A-148 an approval beside a second one of the same name is none", async () => {
    const host = hostWith('{"approved": false, "approved": true}', YES);
    expect((await createAgency(CONFIG, host).generate("Go.")).text).toBe("draft 2");
  });

  test("B-013 an approval that is no boolean is none", async () => {
    expect((await createAgency(CONFIG, hostWith('{"approved": "true"}', YES)).generate("Go.")).text).toBe("draft 2");
  });
});

test("A-081 a rejected drafter ends the loop on the current draft, and no reviewer gets an empty one", async () => {
  let asked = 0;
  const hitl = { approvals: { beforeAgent: ["drafter"] }, handler: () => ({ approved: asked++ === 0 }) };
  const host = hostWith(NO);
  expect((await createAgency({ ...CONFIG, hitl }, host).generate("Go.")).text).toBe("draft 1");
  expect(host.sent).toHaveLength(2);
  const none = hostWith();
  const never = { approvals: { beforeAgent: ["drafter"] }, handler: () => ({ approved: false }) };
  expect((await createAgency({ ...CONFIG, hitl: never }, none).generate("Go.")).text).toBe("");
  expect(none.sent).toEqual([]);
});

test("A-082 a rejected reviewer leaves the current draft standing", async () => {
  const hitl = { approvals: { beforeAgent: ["reviewer"] }, handler: () => ({ approved: false }) };
  const result = await createAgency({ ...CONFIG, hitl }, hostWith()).generate("Go.");
  expect(result.text).toBe("draft 1");
  expect(result.agentCalls.map((call) => call.agent)).toEqual(["drafter"]);
});
