// The rows of the fault table that are about models and their providers. fault-table.ts checks them and
// gives the exit codes their names: 1 failed, 4 refused.

export const MODEL_FAULTS = {
  model_key_missing: {
    owner: "operator",
    retry: false,
    httpStatus: 422,
    exitCode: 4,
    next: "Set the variable that the message names before the gateway starts, or use an offline model.",
  },
  credential_refused: {
    owner: "operator",
    retry: false,
    httpStatus: 422,
    exitCode: 4,
    next: "Give this base URL a key of its own: a key goes only to the provider and the origin it belongs to.",
  },
  model_refused: {
    owner: "host",
    retry: false,
    httpStatus: 422,
    exitCode: 1,
    next: "The model refused to answer; word the prompt differently or ask another model.",
  },
  model_truncated: {
    owner: "host",
    retry: false,
    httpStatus: 422,
    exitCode: 1,
    next: "The answer reached the model's output limit; ask for less or use a model with a larger limit.",
  },
  provider_failed: {
    owner: "host",
    retry: true,
    httpStatus: 502,
    exitCode: 1,
    next: "The provider refused the request or broke it off; its status and words are in the message.",
  },
  provider_unavailable: {
    owner: "host",
    retry: true,
    httpStatus: 503,
    exitCode: 1,
    next: "The provider failed repeatedly; try again later, or name others in models.fallbackProviders.",
  },
} as const;
