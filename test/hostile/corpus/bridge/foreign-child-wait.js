// Waits for a child of another session whose id it was told: it does not exist for this script.
// returns: [[],[],["not_found"]]
const { completed, pending, errors } = await agents.wait([args.foreign.childId], { timeoutSeconds: 5 });
return [completed, pending, errors.map((entry) => entry.error)];
