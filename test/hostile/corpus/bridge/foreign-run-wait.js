// The same with a run of another session.
// returns: [[],[],["not_found"]]
const { completed, pending, errors } = await agents.wait([args.foreign.runId], { timeoutSeconds: 5 });
return [completed, pending, errors.map((entry) => entry.error)];
