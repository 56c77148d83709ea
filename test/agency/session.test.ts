import { expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import { numbered, type Reply, ScriptedHost } from "./support.ts";

const AGENTS = { a: {}, b: {} };

test("A-139 A-140 a session keeps what was said and puts it into the next prompt; another session knows nothing of it", async () => {
  const host = new ScriptedHost(numbered());
  const team = createAgency({ agents: AGENTS }, host);
  const session = team.session("one");
  await session.send("Outline it.");
  await session.send("Now write it.");
  expect(host.asked[2]).toEqual([
    "a",
    "Conversation so far:\nUser: Outline it.\nAssistant: b says 1\n\nUser: Now write it.",
  ]);
  expect(session.messages()).toEqual([
    { role: "user", content: "Outline it." },
    { role: "assistant", content: "b says 1" },
    { role: "user", content: "Now write it." },
    { role: "assistant", content: "b says 2" },
  ]);
  expect((await session.usage()).totalTokens).toBe(48);
  await team.session("two").send("Hello.");
  expect(host.asked[4]).toEqual(["a", "Hello."]);
  expect(team.session("one").messages()).toHaveLength(4);
  expect((await team.usage()).totalTokens).toBe(72);
});

test("A-141 an empty answer adds no turn of the assistant", async () => {
  const replies: Reply[] = ["", "fine"];
  const host = new ScriptedHost(() => replies.shift() ?? "");
  const session = createAgency({ agents: { a: {} } }, host).session();
  await session.send("One.");
  expect(session.messages()).toEqual([{ role: "user", content: "One." }]);
  await session.send("Two.");
  expect(host.asked[1]?.[1]).toBe("Conversation so far:\nUser: One.\n\nUser: Two.");
});

test("A-143 a member hears nothing of its earlier calls but what the strategy passes", async () => {
  const host = new ScriptedHost(numbered());
  const team = createAgency({ agents: { a: {} } }, host);
  await team.generate("First.");
  await team.generate("Second.");
  expect(host.sent.map((request) => request.messages.length)).toEqual([1, 1]);
});

test("B-015 turns that are sent at once are taken one after the other", async () => {
  const host = new ScriptedHost(numbered());
  const session = createAgency({ agents: { a: {} } }, host).session();
  const stream = session.stream("Two.");
  await Promise.all([session.send("Three."), stream.result, session.send("Four.")]);
  expect(session.messages().map((message) => message.content)).toEqual([
    "Two.",
    "a says 1",
    "Three.",
    "a says 2",
    "Four.",
    "a says 3",
  ]);
  expect(host.asked[2]?.[1]).toContain("User: Three.\nAssistant: a says 2\n\nUser: Four.");
});

test("a turn that fails leaves nothing in the session, and the next one is taken", async () => {
  let fails = true;
  const host = new ScriptedHost(() => {
    if (fails) throw new RangeError("broken");
    return "ok";
  });
  const session = createAgency({ agents: { a: {} } }, host).session();
  await expect(session.send("One.")).rejects.toThrow("broken");
  fails = false;
  await session.send("Two.");
  expect(host.asked[1]?.[1]).toBe("Two.");
  expect(session.messages()).toHaveLength(2);
});
