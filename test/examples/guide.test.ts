// docs/scripts.md promises complete scripts: every block of it is run. What the types promise is shown
// by the compiler on the blocks and examples in TypeScript.

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { offlineWorld } from "../support/examples.ts";
import { tempDir } from "../support/temp.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(ROOT, "docs/scripts.md"), "utf8");
const blocks = [...guide.matchAll(/^```(js|ts)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
  language: language === "ts" ? ("ts" as const) : ("js" as const),
  code: code ?? "",
  first: (code ?? "").split("\n")[0] ?? "",
}));

test("the guide has a script for every pattern that it names", () => {
  expect(blocks.length).toBeGreaterThanOrEqual(10);
});

test.each(blocks)("a script of the guide runs to its end: $first", async ({ language, code }) => {
  const world = await offlineWorld();
  const run = await world.run(code, { language, args: { topics: ["tides", "moons"] } });
  expect(run.error).toBeUndefined();
  expect(run.state).toBe("done");
  expect(run.result ?? null).not.toBeNull();
});

test("G-011 the TypeScript of the examples and of the guide fits the declarations that scripts are given", () => {
  const folder = tempDir();
  for (const name of ["agents.d.ts", "people.d.ts"]) copyFileSync(join(ROOT, "guest-types", name), join(folder, name));
  const scripts = [
    readFileSync(join(ROOT, "examples/review.ts"), "utf8"),
    ...blocks.filter((block) => block.language === "ts").map((block) => block.code),
  ];
  // A script is the body of an async function.
  for (const [index, script] of scripts.entries()) {
    writeFileSync(join(folder, `script-${index}.ts`), `async () => {\n${script}\n};\nexport {};\n`);
  }
  expect(typeErrors(folder)).toBe("");
  writeFileSync(join(folder, "wrong.ts"), `async () => agents.run(7);\nexport {};\n`);
  expect(typeErrors(folder)).toContain("wrong.ts(1,");
});

function typeErrors(folder: string): string {
  const compilerOptions = {
    target: "ES2023",
    lib: ["ES2023"],
    module: "NodeNext",
    types: [],
    strict: true,
    noEmit: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  return stdout;
}
