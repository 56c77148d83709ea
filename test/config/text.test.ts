import fc from "fast-check";
import { expect, test } from "vitest";
import { excerptAt, placeOfOffset } from "../../src/config/excerpt.ts";
import { nearest } from "../../src/contract/nearest.ts";

test("I-005 a near name is suggested for a slip: a letter lost, added, changed or swapped, or other case", () => {
  const known = ["maxConcurrent", "maxTotalPerGroup", "enabled"];
  for (const slip of ["maxConcurent", "maxConcurrentt", "maxCancurrent", "maxCocnurrent", "MAXCONCURRENT"]) {
    expect(nearest(slip, known), slip).toBe("maxConcurrent");
  }
  expect(nearest("somethingElse", known)).toBeUndefined();
  expect(nearest("x", [])).toBeUndefined();
});

test("I-005 an excerpt of a long line is cut around the place and the caret stays under it", () => {
  const text = `first\n${"a".repeat(500)}X${"b".repeat(500)}\nlast`;
  const excerpt = excerptAt(text, 2, 501) ?? "";
  const [line = "", caret = ""] = excerpt.split("\n");
  expect(line.length).toBeLessThan(110);
  expect(line[caret.indexOf("^")]).toBe("X");
});

test("I-005 control and bidi characters of an excerpt never reach the terminal", () => {
  expect(excerptAt("a\u001b[2J\u202eb", 1, 1)).toBe("a·[2J·b\n^");
});

test("I-005 for every text and place the caret stands under that character", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\t", "{", "é"), maxLength: 300 });
  fc.assert(
    fc.property(text, fc.nat(299), (source, offset) => {
      fc.pre(offset < source.length && source[offset] !== "\n");
      const place = placeOfOffset(source, offset);
      const [line = "", caret = ""] = (excerptAt(source, place.line, place.column) ?? "").split("\n");
      const shown = source[offset] === "\t" ? " " : source[offset];
      expect(line[caret.indexOf("^")]).toBe(shown);
    }),
    { seed: 20_261_130 },
  );
});
