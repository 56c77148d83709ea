// The rows of the fault table that are about waiting for people and programs. fault-table.ts checks them and
// gives the exit codes their names: 1 failed, 4 refused.

export const PEOPLE_FAULTS = {
  approval_timeout: {
    owner: "operator",
    retry: false,
    httpStatus: 504,
    exitCode: 1,
    next: 'Give people more time with timeoutMs, or leave out onTimeout: "error" and read `approved`.',
  },
  approval_limit: {
    owner: "script",
    retry: false,
    httpStatus: 422,
    exitCode: 4,
    next: "Ask for one approval of many things instead of one each, or go on in another run.",
  },
  event_timeout: {
    owner: "caller",
    retry: true,
    httpStatus: 504,
    exitCode: 1,
    next: "Give the event more time with timeoutMs, or catch the error and go on without it.",
  },
  event_inbox_full: {
    owner: "caller",
    retry: true,
    httpStatus: 429,
    exitCode: 4,
    next: "Send it again when the script has taken what is kept: it takes one event for each waitForEvent.",
  },
} as const;
