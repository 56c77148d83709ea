// Budgets (S-019): what a run, a group or one child may spend at most. Schemas first: HTTP, configuration
// and scripts share them.

import { z } from "zod";
import { BUDGET_CHILDREN_MAX, BUDGET_SECONDS_MAX, BUDGET_TOKENS_MAX, BUDGET_USD_MAX } from "./limits.ts";

/** A unit that is left out is not limited. */
export const budgetSchema = z.strictObject({
  /** Input and output tokens together. */
  tokens: z.number().int().min(1).max(BUDGET_TOKENS_MAX).optional(),
  /** US dollars. */
  usd: z.number().positive().max(BUDGET_USD_MAX).optional(),
  /** Wall-clock seconds since its owner was made; restarts do not stop them. */
  seconds: z.number().positive().max(BUDGET_SECONDS_MAX).optional(),
  /** Children that may ever be spawned. */
  children: z.number().int().min(1).max(BUDGET_CHILDREN_MAX).optional(),
});
export type Budget = z.infer<typeof budgetSchema>;
export type BudgetUnit = keyof Budget;
export const BUDGET_UNITS: readonly BudgetUnit[] = ["tokens", "usd", "seconds", "children"];

/** Of one child: it spawns none of its own here, so those are not counted. */
export const childBudgetSchema = budgetSchema.omit({ children: true });

/** Unit by unit the smaller one; undefined when neither limits anything. */
export function leastBudget(one: Budget | undefined, other: Budget | undefined): Budget | undefined {
  const least: Budget = {};
  for (const unit of BUDGET_UNITS) {
    const value = Math.min(one?.[unit] ?? Number.POSITIVE_INFINITY, other?.[unit] ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(value)) least[unit] = value;
  }
  return Object.keys(least).length > 0 ? least : undefined;
}
