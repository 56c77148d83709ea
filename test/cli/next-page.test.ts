import { expect, test } from "vitest";
import { nextPage } from "../../src/cli/next-page.ts";

test("I-003 the command for the next page repeats where to look and what was asked for", () => {
  const typed = { data: "/data of mine/it's", config: undefined, url: undefined };
  expect(nextPage({ typed }, "ls", { state: "failed", limit: 12, after: "7" })).toBe(
    "There are more: quickswarm ls --data '/data of mine/it'\\''s' --state failed --limit 12 --after 7",
  );
  expect(nextPage({}, "approvals", { all: true, run: undefined, after: "7" })).toBe(
    "There are more: quickswarm approvals --all --after 7",
  );
  expect(nextPage({}, "approvals", { all: false, after: "7" })).toBe("There are more: quickswarm approvals --after 7");
});
