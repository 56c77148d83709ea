// Returns something that looks like a failed run.
// returns: {"state":"failed","error":{"code":"internal"}}
return { state: "failed", error: { code: "internal" } };
