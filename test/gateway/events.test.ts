import fc from "fast-check";
import { expect, test } from "vitest";
import type { SwarmEvent } from "../../src/contract/events.ts";
import type { RunRecord } from "../../src/contract/records.ts";
import { submitAnswerSchema } from "../../src/gateway/answers.ts";
import { frameOf, SSE_HEARTBEAT_MS, SSE_PAGE_EVENTS } from "../../src/gateway/event-stream.ts";
import { OPERATOR } from "../../src/gateway/listen.ts";
import { readSse } from "../support/sse-reader.ts";
import { open, send, type TestGateway, testGateway } from "../support/test-gateway.ts";

async function submitted({ gateway }: TestGateway): Promise<RunRecord> {
  const { json } = await send(gateway, "/v1/runs", { body: { script: "return 1" } });
  return submitAnswerSchema.parse(json).run;
}

test("I-002 a run's stream gives its events from the first on, and then live", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  await submitted(here);
  const stream = await readSse(here.gateway, `/v1/runs/${runId}/events`);
  expect(stream.response.headers).toMatchObject({ "content-type": "text/event-stream", "cache-control": "no-store" });
  expect(await stream.event()).toMatchObject({ type: "run.created", runId, seq: 1 });
  here.runtime.note(runId, "half way");
  expect(await stream.event()).toMatchObject({ type: "run.note", text: "half way", seq: 3 });
  stream.cut();
});

test("I-002 a frame has the sequence number as id, the type as event, and one line of data", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  here.runtime.note(runId, "line one\r\nid: 99\r\n\r\nevent: forged\u2028");
  const stream = await readSse(here.gateway, `/v1/runs/${runId}/events?after=1`);
  await stream.frame();
  const frame = await stream.frame();
  expect([frame?.id, frame?.event]).toEqual(["2", "run.note"]);
  expect(JSON.parse(frame?.data ?? "")).toMatchObject({
    seq: 2,
    text: "line one\r\nid: 99\r\n\r\nevent: forged\u2028",
  });
  stream.cut();
});

test("I-002 the stream of everything begins now and says where that is", async () => {
  const here = await testGateway();
  await submitted(here);
  const stream = await readSse(here.gateway, "/v1/events");
  expect(await stream.frame()).toMatchObject({ id: "1", data: undefined });
  const { runId } = await submitted(here);
  expect(await stream.event()).toMatchObject({ runId, seq: 2 });
  stream.cut();
});

test("I-002 Last-Event-ID goes before the query, and both resume behind the event they name", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  for (const text of ["a", "b", "c"]) here.runtime.note(runId, text);
  const byQuery = await readSse(here.gateway, "/v1/events?after=2");
  expect(await byQuery.event()).toMatchObject({ seq: 3 });
  const byHeader = await readSse(here.gateway, "/v1/events?after=0", { headers: { "last-event-id": "3" } });
  expect(await byHeader.event()).toMatchObject({ seq: 4 });
  byQuery.cut();
  byHeader.cut();
});

test("I-002 a resume from a number that was never given goes on with what comes", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const stream = await readSse(here.gateway, "/v1/events", { headers: { "last-event-id": "900" } });
  expect(await stream.frame()).toMatchObject({ id: "1" });
  here.runtime.note(runId, "after a restore");
  expect(await stream.event()).toMatchObject({ seq: 2 });
  stream.cut();
});

test("S-014 a session's stream holds its own events only", async () => {
  const token = "b".repeat(64);
  const here = await testGateway({ callers: [{ token, caller: { sessionKey: "other", operator: false } }] });
  const as = { token: false, headers: { authorization: `Bearer ${token}` } };
  const foreign = await submitted(here);
  const stream = await readSse(here.gateway, "/v1/events?after=0", as);
  await send(here.gateway, "/v1/runs", { ...as, body: { script: "return 2" } });
  expect(await stream.event()).toMatchObject({ seq: 2, sessionKey: "other" });
  expect((await send(here.gateway, `/v1/runs/${foreign.runId}/events`, as)).status).toBe(404);
  stream.cut();
});

test("I-002 a heartbeat comes every 15 seconds of silence and carries the place", async () => {
  const here = await testGateway();
  await submitted(here);
  const stream = await readSse(here.gateway, "/v1/events");
  await stream.frame();
  for (let beat = 0; beat < 3; beat += 1) {
    await expect.poll(() => here.clock.timerCount).toBe(1);
    here.clock.advance(SSE_HEARTBEAT_MS);
    expect(await stream.frame()).toEqual({ id: "1", event: undefined, data: undefined, comment: "heartbeat" });
  }
  stream.cut();
});

test("I-002 a client that is cut 100 times at random gets each event once and in order", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const random = fc.sample(fc.nat({ max: 6 }), { seed: 20_261_130, numRuns: 100 });
  const seen: number[] = [];
  for (const count of random) {
    const last = seen.at(-1);
    const headers = last === undefined ? {} : { "last-event-id": String(last) };
    const stream = await readSse(here.gateway, `/v1/runs/${runId}/events`, { headers });
    for (let index = 0; index < count; index += 1) {
      here.runtime.note(runId, `${index}`);
      seen.push((await stream.event())?.seq ?? 0);
    }
    // Committed while nobody listens, or while the cut is on its way.
    here.runtime.note(runId, "unseen");
    stream.cut();
    here.runtime.note(runId, "unseen too");
  }
  const last = (await here.runtime.lastEventSeq()) ?? 0;
  const stream = await readSse(here.gateway, `/v1/runs/${runId}/events?after=${seen.at(-1)}`);
  while ((seen.at(-1) ?? 0) < last) seen.push((await stream.event())?.seq ?? 0);
  stream.cut();
  expect(seen).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  await expect.poll(() => here.runtime.listenerCount).toBe(0);
});

test("I-002 a reader that stops reading is not read ahead for, and catches up from the registry", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const count = 20_000;
  for (let index = 0; index < count; index += 1) here.runtime.note(runId, "x".repeat(1_000));
  const response = await open(here.gateway, `/v1/runs/${runId}/events`);
  response.pause();
  await settled(() => here.runtime.pagesRead);
  const pagesAhead = here.runtime.pagesRead;
  // What the sockets of both sides hold is the system's; the gateway holds one page.
  expect(pagesAhead * SSE_PAGE_EVENTS).toBeLessThan(count / 2);
  here.runtime.note(runId, "one more");
  await settled(() => here.runtime.pagesRead);
  expect(here.runtime.pagesRead).toBe(pagesAhead);
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) {
    text = text.slice(-2_000) + String(chunk);
    if (text.includes("one more")) break;
  }
  expect(text).toContain(`id: ${count + 2}\n`);
});

test("I-002 a hundred streams at once all get an event, and none is warned about", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  const streams = await Promise.all(
    Array.from({ length: 100 }, () => readSse(here.gateway, `/v1/runs/${runId}/events?after=1`)),
  );
  await Promise.all(streams.map((stream) => stream.frame()));
  here.runtime.note(runId, "to all");
  for (const event of await Promise.all(streams.map((stream) => stream.event()))) {
    expect(event).toMatchObject({ seq: 2, text: "to all" });
  }
  for (const stream of streams) stream.cut();
  await expect.poll(() => here.runtime.listenerCount).toBe(0);
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("I-002 a stream that is asked for by HEAD leaves nothing behind", async () => {
  const here = await testGateway();
  const answer = await send(here.gateway, "/v1/events", { method: "HEAD" });
  expect([answer.status, here.runtime.listenerCount, here.clock.timerCount]).toEqual([200, 0, 0]);
});

test("I-002 a client that goes away takes its subscription and its timer with it", async () => {
  const here = await testGateway();
  const stream = await readSse(here.gateway, "/v1/events");
  await stream.frame();
  await expect.poll(() => [here.runtime.listenerCount, here.clock.timerCount]).toEqual([1, 1]);
  stream.cut();
  await expect.poll(() => [here.runtime.listenerCount, here.clock.timerCount]).toEqual([0, 0]);
});

test("I-002 a registry that fails ends the stream, and the gateway goes on", async () => {
  const here = await testGateway();
  const { runId } = await submitted(here);
  here.runtime.eventsAfter = () => Promise.reject(new Error("disk"));
  const stream = await readSse(here.gateway, `/v1/runs/${runId}/events`);
  await stream.frame();
  expect(await stream.frame()).toBeUndefined();
  expect((await send(here.gateway, "/v1/runs")).status).toBe(200);
  expect(here.runtime.listenerCount).toBe(0);
  expect(here.lines.join("")).toContain("an event stream ended by an error");
});

test("I-002 an id or a type that would break the framing is never sent", async () => {
  const here = await testGateway();
  await submitted(here);
  const [event] = await here.runtime.eventsAfter(OPERATOR, 0, undefined, 1);
  for (const change of [{ seq: 1.5 }, { seq: "1\n2" }, { type: "run.note\ndata: x" }, { type: "" }]) {
    expect(() => frameOf({ ...event, ...change } as unknown as SwarmEvent)).toThrow(
      expect.objectContaining({ code: "internal" }),
    );
  }
});

/** Waits until the number has not changed for a few looks. */
async function settled(look: () => number): Promise<void> {
  let last = -1;
  let same = 0;
  await expect
    .poll(
      () => {
        same = look() === last ? same + 1 : 0;
        last = look();
        return same;
      },
      { interval: 20, timeout: 20_000 },
    )
    .toBeGreaterThan(10);
}
