// The rows of the fault table that are about budgets. fault-table.ts checks them and gives the exit codes
// their names: 4 refused.

export const BUDGET_FAULTS = {
  budget_exceeded: {
    owner: "caller",
    retry: false,
    httpStatus: 402,
    exitCode: 4,
    next: "Submit with a larger budget, or raise tools.swarm.budget; what was spent is shown by `quickswarm show`.",
  },
  price_unknown: {
    owner: "operator",
    retry: false,
    httpStatus: 422,
    exitCode: 4,
    next: "Give the model a price under models.prices, or a budget in tokens instead of dollars.",
  },
} as const;
