// The rows of the fault table that are about teams of agents. fault-table.ts checks them and gives the exit
// codes their names: 1 failed, 2 usage.

export const AGENCY_FAULTS = {
  agency_config: {
    owner: "caller",
    retry: false,
    httpStatus: 422,
    exitCode: 2,
    next: "Correct the option of the agency that the message names.",
  },
  agency_limit: {
    owner: "caller",
    retry: false,
    httpStatus: 429,
    exitCode: 1,
    next: "Raise the limit under controls, or set onLimitReached to 'warn'.",
  },
  agency_quorum: {
    owner: "host",
    retry: true,
    httpStatus: 502,
    exitCode: 1,
    next: "Too few members answered: look at the cause, try again, or set quorum.onShortfall to 'proceed'.",
  },
  agency_seat_failed: {
    owner: "host",
    retry: true,
    httpStatus: 502,
    exitCode: 1,
    next: "A member of the agency failed; the message names it and the cause says why.",
  },
  agency_stopped: {
    owner: "caller",
    retry: false,
    httpStatus: 409,
    exitCode: 7,
    next: "The run was stopped by its signal, or by leaving its stream.",
  },
  agency_approval: {
    owner: "caller",
    retry: false,
    httpStatus: 502,
    exitCode: 1,
    next: "Correct the approval handler: it must answer { approved: true or false } within hitl.timeoutMs.",
  },
} as const;
