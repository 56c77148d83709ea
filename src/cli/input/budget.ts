// What a run may spend, as it is typed: --budget tokens=200000,usd=5,seconds=3600,children=100 (S-019).

import { BUDGET_UNITS, type Budget, type BudgetUnit, budgetSchema } from "../../contract/budget.ts";
import { fault } from "../../contract/fault.ts";

const EXPECTED = `expected a list like tokens=200000,usd=5,seconds=3600,children=100 of ${BUDGET_UNITS.join(", ")}`;

/** @throws Fault `option_type` that names the part that is wrong. */
export function parseBudget(text: string): Budget {
  const budget: Budget = {};
  for (const part of text.split(",").map((each) => each.trim())) {
    const [unit = "", amount = ""] = part.split("=").map((each) => each.trim());
    if (!isUnit(unit) || part.split("=").length !== 2) throw wrong(part, EXPECTED);
    if (budget[unit] !== undefined) throw wrong(part, `${unit} is given twice`);
    // Number("") is 0 and Number("0x10") is 16: neither is what anybody means.
    const value = /^\d+(\.\d+)?$/.test(amount) ? Number(amount) : Number.NaN;
    const checked = budgetSchema.safeParse({ [unit]: value });
    if (!checked.success) throw wrong(part, `expected ${amountOf(unit)}`);
    budget[unit] = value;
  }
  return budget;
}

function isUnit(text: string): text is BudgetUnit {
  return BUDGET_UNITS.some((unit) => unit === text);
}

function amountOf(unit: BudgetUnit): string {
  return unit === "tokens" || unit === "children" ? "a whole number above 0" : "a number above 0";
}

function wrong(part: string, expected: string) {
  return fault("option_type", `--budget: got ${JSON.stringify(part.slice(0, 60))}, ${expected}`);
}
