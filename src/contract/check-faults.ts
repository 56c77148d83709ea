// The rows of the fault table that are about the check of a script before it runs. fault-table.ts checks
// them and gives the exit code its name: 2 usage.

export const CHECK_FAULTS = {
  script_check_failed: {
    owner: "script",
    retry: false,
    httpStatus: 422,
    exitCode: 2,
    next: "Correct the script at the place shown, or leave --strict out.",
  },
  check_too_slow: {
    owner: "caller",
    retry: true,
    httpStatus: 422,
    exitCode: 2,
    next: "Try again, or submit the script with --no-check.",
  },
  checker_missing: {
    owner: "operator",
    retry: false,
    httpStatus: 500,
    exitCode: 2,
    next: "Install it with `npm install typescript@7.0.2`, or leave the check out.",
  },
} as const;
