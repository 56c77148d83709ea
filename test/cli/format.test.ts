import fc from "fast-check";
import { expect, test } from "vitest";
import { block, byteSize, duration, jsonText, oneLine, plural } from "../../src/cli/format.ts";
import { table } from "../../src/cli/table.ts";
import { fakeOutput } from "./support/fake-io.ts";

test.each([
  [0, "0ms"],
  [999, "999ms"],
  [1_000, "1.0s"],
  [59_999, "59.9s"],
  [60_000, "1m 00s"],
  [3_599_999, "59m 59s"],
  [3_600_000, "1h 00m"],
  [172_800_000, "2d 00h"],
  [-5, "0ms"],
])("I-003 %i milliseconds read as %s", (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});

test("I-003 sizes and counts read as people write them", () => {
  expect([812, 65_536, 1_610_612_736].map(byteSize)).toEqual(["812B", "64.0KiB", "1.5GiB"]);
  expect([plural(1, "child", "children"), plural(0, "child", "children")]).toEqual(["1 child", "0 children"]);
});

/** Control, escape, zero-width and bidi characters, by their code points; tab and line feed are looked at apart. */
const DANGEROUS = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
  [0xfeff, 0xfeff],
] as const;

function dangerousIn(text: string): string[] {
  return [...text].filter((character) => {
    const code = character.codePointAt(0) ?? 0;
    return DANGEROUS.some(([from, to]) => code >= from && code <= to);
  });
}

test("I-005 whatever a script or a child says, no control or bidi character of it is printed", () => {
  const nasty = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(nasty, (text) => {
      expect(dangerousIn(oneLine(text))).toEqual([]);
      expect(oneLine(text)).not.toMatch(/[\t\n]/);
      expect(dangerousIn(block(text))).toEqual([]);
      expect(dangerousIn(jsonText({ text }))).toEqual([]);
    }),
    { seed: 20_261_130, numRuns: 1_000 },
  );
});

test("I-003 JSON that was made safe for a terminal still means the same", () => {
  fc.assert(
    fc.property(fc.json(), fc.string({ unit: "binary" }), (json, text) => {
      const value = [JSON.parse(json), text.toWellFormed()];
      expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(JSON.parse(jsonText(value, 0))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { seed: 20_261_130, numRuns: 500 },
  );
});

test("I-003 no value is printed as null", () => {
  expect(jsonText(undefined)).toBe("null");
});

test("I-003 a long line is cut with a visible mark and not inside a character", () => {
  expect(oneLine("abcdef", 4)).toBe("abc…");
  expect(oneLine("ab😀cd", 4)).toBe("ab…");
});

test("I-003 a table is cut to the terminal's width and not where there is no terminal", async () => {
  const rows = [["x".repeat(100), "y"]];
  const columns = [{ head: "A", shrinks: true }, { head: "B" }];
  const narrow = await table(fakeOutput(40), columns, rows);
  expect(Math.max(...narrow.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
  expect(await table(fakeOutput(0), columns, rows)).toContain("x".repeat(100));
});

test("I-003 a table has one line for its head and one for each row", async () => {
  const text = await table(
    fakeOutput(),
    [{ head: "A" }, { head: "B", align: "right" }],
    [
      ["1", "22"],
      ["333", "4"],
    ],
  );
  expect(text.split("\n")).toEqual(["A     B", "1    22", "333   4"]);
});
