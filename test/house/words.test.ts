import { expect, test } from "vitest";
import { planted } from "./plant.ts";
import {
  anyViolations,
  mockViolations,
  silencedViolations,
  skippedViolations,
  sleepViolations,
} from "./rules/words.ts";

test.each([
  "let a: any;",
  "const a = b as any;",
  "function f(a: any[]): void {}",
  "let a: Map<string, any>;",
  "type A = any;",
  "let a: string | any;",
  "const schema = z.any();",
])("any is refused: %s", (text) => {
  expect(planted(anyViolations, { "src/vm/a.ts": text })).toHaveLength(1);
});

test("the word any is free where it is no type", () => {
  const text = `await Promise.any(all);\nconst mode = "any";\nconst rows = { any: 1 };\nconst all = [one, any, two];\n// any\n`;
  expect(planted(anyViolations, { "src/vm/a.ts": text })).toEqual([]);
});

test.each([
  "// @ts-ignore",
  "/* @ts-expect-error because */",
  "// biome-ignore lint: x",
  "// eslint-disable-next-line",
  "// TODO finish",
])("a silenced check or a loose end is refused: %s", (text) => {
  expect(planted(silencedViolations, { "test/vm/a.test.ts": `${text}\nf();\n` })).toHaveLength(1);
});

test("a silencing word in a string is data", () => {
  expect(planted(silencedViolations, { "src/vm/a.ts": `const a = "// @ts-ignore";\n` })).toEqual([]);
});

test.each([
  `test.skip("a", () => {});`,
  `describe.only("a", () => {});`,
  `it.todo("a");`,
  `test.concurrent.only("a", () => {});`,
  `test.skipIf(slow)("a", () => {});`,
  `test("a", (context) => context.skip());`,
  `xit("a", () => {});`,
  `test("a", { retry: 3 }, () => {});`,
])("a test that does not always run is refused: %s", (text) => {
  expect(planted(skippedViolations, { "test/vm/a.test.ts": text })).toHaveLength(1);
});

test("a row that may be retried is no retried test", () => {
  const text = "expect(row).toEqual({ retry: true, only: 1 });\nlist.only;\n";
  expect(planted(skippedViolations, { "test/vm/a.test.ts": text })).toEqual([]);
});

test.each([
  `vi.mock("../src/a.ts");`,
  `jest.mock("../src/a.ts");`,
  `vi.spyOn(fs, "readFileSync");`,
  "vi.useFakeTimers();",
])("a mock is refused: %s", (text) => {
  expect(planted(mockViolations, { "test/vm/a.test.ts": text })).toHaveLength(1);
});

test("a sleeping test is refused, a deadline in test/support is not", () => {
  const sleep = "await new Promise((done) => setTimeout(done, 50));\n";
  const imported = `import { setTimeout as sleep } from "node:timers/promises";\n`;
  const turn = `import { setImmediate } from "node:timers/promises";\n`;
  expect(planted(sleepViolations, { "test/vm/a.test.ts": sleep })).toHaveLength(1);
  expect(planted(sleepViolations, { "test/vm/a.test.ts": imported })).not.toEqual([]);
  expect(planted(sleepViolations, { "test/vm/a.test.ts": turn })).toEqual([]);
  expect(planted(sleepViolations, { "test/support/deadline.ts": sleep })).toEqual([]);
});
