// The check where people meet it: `check`, `run`, `submit`, --strict and --no-check.

import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { quickswarm, startGateway, startNode } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

const WRONG = 'if (args) await agents.run("q", { lable: "x" });\nreturn 1;\n';

function place() {
  const cwd = folderWith({ "wrong.js": WRONG, "fine.js": "return 1;\n" });
  return { cwd, dataDir: `${cwd}/data` };
}

test("I-003 I-005 check says what is wrong and where, without a gateway, and exits with 2", async () => {
  const at = place();
  const wrong = await quickswarm(at, ["check", "wrong.js"]);
  expect(wrong).toMatchObject({ code: 2, err: "" });
  expect(wrong.out).toMatch(/^warning\[TS2561\]: .*'label'\?\n {2}at wrong\.js:1:35\n {2}\| if \(args\)/);
  expect(await quickswarm(at, ["check", "fine.js"])).toMatchObject({ code: 0, out: "" });
  const { code, out } = await quickswarm(at, ["check", "wrong.js", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({
    ok: false,
    diagnostics: [{ code: "TS2561", place: { file: "wrong.js", line: 1, column: 35 } }],
  });
});

test("I-003 I-005 run warns on stderr before its closing line, and the script runs all the same", async () => {
  const at = place();
  const { code, out, err } = await quickswarm(at, ["run", "wrong.js"]);
  expect({ code, out }).toEqual({ code: 0, out: "1\n" });
  expect(err).toMatch(/warning\[TS2561\]: [\s\S]*\ndone in \S+, no children {2}run_[0-9a-f]{32}\n$/);
  expect((await quickswarm(at, ["run", "wrong.js", "--no-check"])).err).not.toContain("warning");
});

test("I-003 I-005 --strict refuses what is warned of, with 2, before there is a run", async () => {
  const at = place();
  const { code, out, err } = await quickswarm(at, ["run", "wrong.js", "--strict"]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^error\[script_check_failed\]: .*\n {2}at wrong\.js:1:35\n/);
  expect(JSON.parse((await quickswarm(at, ["ls", "--json"])).out).rows).toEqual([]);
  expect(await quickswarm(at, ["run", "fine.js", "--strict"])).toMatchObject({ code: 0, out: "1\n" });
});

test("I-003 submit gives the run's id on stdout and its warnings on stderr", async () => {
  const at = place();
  await startGateway(at);
  const { code, out, err } = await quickswarm(at, ["submit", "wrong.js"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^run_[0-9a-f]{32}\n$/);
  expect(err).toContain("warning[TS2561]");
});

test("I-003 without TypeScript a script runs and one line says that it was not checked", async () => {
  const at = place();
  const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const without = ["--import", `data:text/javascript,${encodeURIComponent(REFUSE_TYPESCRIPT)}`, main];
  const { code, out, err } = await startNode(at, [...without, "run", "wrong.js"]).ended;
  expect({ code, out }).toEqual({ code: 0, out: "1\n" });
  expect(err.split("TypeScript is not installed")).toHaveLength(2);
  const strict = await startNode(at, [...without, "run", "wrong.js", "--strict"]).ended;
  expect(strict.code).toBe(2);
  expect(strict.err).toContain("error[checker_missing]");
});

const REFUSE_TYPESCRIPT = `
import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(
  "export async function resolve(name, context, next) {" +
  " if (name.startsWith('typescript')) throw Object.assign(new Error('no such package'), { code: 'ERR_MODULE_NOT_FOUND' });" +
  " return next(name, context); }"));
`;
