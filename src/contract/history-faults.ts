// The rows of the fault table that are about kept turns and forks. fault-table.ts checks them and gives the
// exit codes their names: 2 usage, 3 not found.

export const HISTORY_FAULTS = {
  turn_not_kept: {
    owner: "caller",
    retry: false,
    httpStatus: 404,
    exitCode: 3,
    next: "Choose a turn that is kept (`quickswarm show RUN --history`); submit with --keep-history N to keep the last N.",
  },
  call_not_pending: {
    owner: "caller",
    retry: false,
    httpStatus: 422,
    exitCode: 2,
    next: "Set the answer of a call that was pending at that turn; `quickswarm show RUN --at TURN` lists them.",
  },
  answer_type: {
    owner: "caller",
    retry: false,
    httpStatus: 422,
    exitCode: 2,
    next: "Give the answer as JSON of the kind that the message names; a text stands in double quotes.",
  },
} as const;
