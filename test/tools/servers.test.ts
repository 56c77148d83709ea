// Tools of real MCP servers that are programs: how they start, answer, fail, die and are ended.

import { expect, test } from "vitest";
import { fixtureProgram, rig, SECRET } from "./support.ts";

/** Programs start within this, on a busy machine as well. */
const SOON = { timeout: 30_000 };

test("a server is started by its first use and kept; its tools come with their schemas", async () => {
  const program = fixtureProgram();
  const { host, call } = rig({ files: program.config });
  expect(program.ledger()).toEqual([]);
  const signal = new AbortController().signal;
  const tools = await host.offer({ allowed: ["files.*"], asked: undefined }, signal);
  expect(tools.find(({ name }) => name === "sum")).toMatchObject({
    server: "files",
    description: "Adds.",
    inputSchema: { required: ["a", "b"] },
    outputSchema: { required: ["sum"] },
  });
  expect(await call("files.echo", { text: "hello" })).toEqual({ ok: true, text: "echo: hello" });
  expect(await call("files.sum", { a: 2, b: 3 })).toEqual({ ok: true, text: '{"sum":5}', value: { sum: 5 } });
  expect(program.ledger().filter(({ started }) => started !== undefined)).toHaveLength(1);
});

test("L12 a server is told the key of a call and its attempt", async () => {
  const program = fixtureProgram();
  const { call } = rig({ files: program.config });
  await call("files.echo", { text: "a" }, { key: "agt_1:0:call_0" });
  expect(program.ledger().at(-1)).toEqual({ tool: "echo", key: "agt_1:0:call_0", attempt: 1 });
});

test("bad arguments never reach the server, and the answer says what is wrong with them", async () => {
  const program = fixtureProgram();
  const { call } = rig({ files: program.config });
  expect(await call("files.sum", { a: 1.5, c: "x" })).toEqual({
    ok: false,
    code: "tool_arguments",
    message: expect.stringMatching(/files\.sum.*must have required property 'b'.*\/a must be integer/),
  });
  expect(program.ledger().filter(({ tool }) => tool !== undefined)).toEqual([]);
});

test("a tool and a server that are not there are named, with what is", async () => {
  const { call } = rig({ files: fixtureProgram().config });
  expect(await call("files.ecko")).toMatchObject({
    code: "tool_unknown",
    message: expect.stringMatching(/no tool "files\.ecko"; there are: files\.echo, files\.sum/),
  });
  expect(await call("filez.echo")).toMatchObject({ code: "tool_unknown", message: expect.stringContaining("files.*") });
});

test("B-018 a tool that fails is told by name and code; its words go to the log without secrets", async () => {
  const { call, logged } = rig({ files: fixtureProgram().config });
  for (const tool of ["fail", "throw"]) {
    const answer = await call(`files.${tool}`);
    expect(answer).toEqual({ ok: false, code: "tool_failed", message: `The tool files.${tool} failed (tool_failed).` });
  }
  expect(logged.map(({ fields }) => fields.words)).toEqual([
    "no access with ••••",
    expect.stringContaining("boom ••••"),
  ]);
  expect(JSON.stringify(logged)).not.toContain(SECRET);
});

test("B-018 where the operator says so, a tool's own words are shown, still without secrets", async () => {
  const { call } = rig({ files: fixtureProgram({}, { showErrors: true }).config });
  expect(await call("files.fail")).toMatchObject({
    message: "The tool files.fail failed (tool_failed): no access with ••••.",
  });
});

test("a result over its limit is an error that says both sizes; one at the limit is taken", async () => {
  const { call } = rig({ files: fixtureProgram({}, { maxResultBytes: 2000 }).config });
  expect(await call("files.big", { bytes: 2000 })).toMatchObject({ ok: true });
  expect(await call("files.big", { bytes: 2001 })).toEqual({
    ok: false,
    code: "tool_result_too_large",
    message: "The result of files.big has 2001 bytes; at most 2000 are taken. Ask for less.",
  });
});

test("what is no text in a result is named by its kind and size", async () => {
  const { call } = rig({ files: fixtureProgram().config });
  expect(await call("files.picture")).toEqual({ ok: true, text: "[image image/png, 3 bytes]\na dot" });
});

test("a server that does not start fails its first use with its name and the reason, and nothing private", async () => {
  const missing = { command: "/no/such/quickswarm-program", args: ["--token", SECRET] };
  const { call } = rig({ gone: missing, broken: fixtureProgram({ MODE: "broken" }).config });
  expect(await call("gone.echo")).toEqual({
    ok: false,
    code: "tool_unavailable",
    message: 'The server "gone" is not there: its program, or its working directory, was not found.',
  });
  expect(await call("broken.echo")).toMatchObject({
    code: "tool_unavailable",
    message: 'The server "broken" is not there: its program ended with exit code 3.',
  });
});

test("L10 a server that says nothing is ended at its deadline", async () => {
  const program = fixtureProgram({ MODE: "silent" }, { startTimeoutMs: 500 });
  const { call, clock } = rig({ silent: program.config });
  const answer = call("silent.echo");
  await expect.poll(() => program.ledger().length, SOON).toBe(1);
  clock.advance(500);
  expect(await answer).toMatchObject({
    code: "tool_unavailable",
    message: 'The server "silent" is not there: it was not ready within 500 ms.',
  });
});

test("a server that keeps failing is tried again after growing pauses of the clock", async () => {
  const program = fixtureProgram({ MODE: "broken" });
  const { call, clock } = rig({ broken: program.config });
  const starts = () => program.ledger().length;
  await call("broken.echo");
  await call("broken.echo");
  expect(starts()).toBe(2);
  expect(await call("broken.echo")).toMatchObject({ message: expect.stringContaining("tried again in 1 s") });
  expect(starts()).toBe(2);
  clock.advance(1_000);
  await call("broken.echo");
  expect(starts()).toBe(3);
  expect(await call("broken.echo")).toMatchObject({ message: expect.stringContaining("tried again in 2 s") });
});

test("a server that dies in a call fails that call, and the next one starts it again", async () => {
  const program = fixtureProgram();
  const { call } = rig({ files: program.config });
  expect(await call("files.die")).toMatchObject({
    code: "tool_unavailable",
    message: expect.stringContaining("lost during the call: its program ended with exit code 7"),
  });
  expect(await call("files.echo", { text: "again" })).toEqual({ ok: true, text: "echo: again" });
  expect(program.ledger().filter(({ started }) => started !== undefined)).toHaveLength(2);
});

test("a call has a deadline, after which its server hears that it is cancelled and goes on", async () => {
  const program = fixtureProgram({}, { timeoutMs: 5_000 });
  const { call, clock } = rig({ files: program.config });
  const answer = call("files.hang");
  await expect.poll(() => program.ledger().at(-1)?.tool, SOON).toBe("hang");
  clock.advance(5_000);
  expect(await answer).toEqual({
    ok: false,
    code: "tool_timeout",
    message: "The tool files.hang did not answer within 5000 ms.",
  });
  await expect.poll(() => program.ledger().at(-1), SOON).toEqual({ cancelled: true });
  expect(await call("files.echo", { text: "on" })).toMatchObject({ ok: true });
});

test("an abort ends a call at once", async () => {
  const program = fixtureProgram();
  const { call } = rig({ files: program.config });
  const stop = new AbortController();
  const answer = call("files.hang", {}, { signal: stop.signal });
  await expect.poll(() => program.ledger().at(-1)?.tool, SOON).toBe("hang");
  stop.abort(new DOMException("stopped", "AbortError"));
  await expect(answer).rejects.toThrow("stopped");
});

test("S-010 a tool that needs approval is answered approval_required, without starting its server", async () => {
  const program = fixtureProgram({}, { approval: ["di*", "sum"] });
  const { call } = rig({ files: program.config, closed: { ...program.config, approval: "always" } });
  for (const name of ["files.die", "files.sum", "closed.echo"]) {
    expect(await call(name)).toMatchObject({
      ok: false,
      code: "approval_required",
      message: expect.stringContaining(name),
    });
  }
  expect(program.ledger()).toEqual([]);
  expect(await call("files.echo", { text: "free" })).toMatchObject({ ok: true });
});

test("L7 closing ends programs with all that they started, also in the middle of their start and of a call", async () => {
  const running = fixtureProgram();
  const starting = fixtureProgram({ MODE: "silent" });
  const { host, call } = rig({ running: running.config, starting: starting.config });
  const ends = Promise.allSettled([call("running.hang"), call("starting.echo")]);
  await expect.poll(() => running.ledger().at(-1)?.tool, SOON).toBe("hang");
  await expect.poll(() => starting.ledger().length, SOON).toBe(1);
  await host.close();
  expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  for (const { started } of [running.ledger()[0], starting.ledger()[0]].flatMap((entry) => entry ?? [])) {
    expect(() => process.kill(Number(started), 0)).toThrow("ESRCH");
  }
  await expect(call("running.echo")).rejects.toMatchObject({ code: "tool_unavailable" });
});
