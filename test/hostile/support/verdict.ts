// Whether a hostile script ended as its header says. Pure, so that it can be shown to go red.

import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../../src/contract/json.ts";
import type { Expectation } from "./script.ts";

/** How a run ended, as everybody outside can read it. */
export interface End {
  state: "done" | "failed" | "killed" | "quarantined" | "refused" | "parked";
  value?: Json | undefined;
  code?: string | undefined;
  message?: string | undefined;
  notes: number;
  children: number;
  /** A text that it let go of is still in what is stored of it. */
  remembered?: boolean | undefined;
}

/** What is wrong with an end; nothing when it is one of those that were expected. */
export function problemsOf(expected: Expectation, end: End): string[] {
  const problems: string[] = [];
  if (!isExpected(expected, end)) problems.push(`ended as ${endText(end)}, expected ${expectedText(expected)}`);
  const { says, notesMax, children } = expected;
  if (says !== undefined && !end.message?.includes(says)) problems.push(`says ${end.message}, expected ${says}`);
  if (notesMax !== undefined && end.notes > notesMax) problems.push(`has ${end.notes} notes, at most ${notesMax}`);
  if (children !== undefined && end.children !== children) {
    problems.push(`made ${end.children} children, expected ${children}`);
  }
  if (end.remembered) problems.push("what it let go of is still in its snapshot");
  return problems;
}

/** One line for people. */
export function endText({ state, code, value, message }: End): string {
  if (state === "done") return `returns ${JSON.stringify(value ?? null).slice(0, 300)}`;
  return code === undefined ? state : `${code} (${message?.slice(0, 300) ?? ""})`;
}

function isExpected(expected: Expectation, end: End): boolean {
  if (end.state === "done") return expected.values.some((value) => isDeepStrictEqual(value, end.value ?? null));
  if (end.state === "parked") return expected.codes.includes("parked");
  return end.code !== undefined && expected.codes.includes(end.code);
}

function expectedText({ codes, values }: Expectation): string {
  return [...codes, ...values.map((value) => `returns ${JSON.stringify(value)}`)].join(" or ");
}
