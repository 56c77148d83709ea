// Ids that are nearly right, empty, enormous, or no ids at all.
// returns: ["not_found","not_found","not_found","not_found","not_found"]
const { childId } = args.foreign;
const ids = [childId.toUpperCase(), `${childId} `, `${childId}\u0000`, "agt_", "../../etc"];
const { errors } = await agents.wait(ids, { timeoutSeconds: 1 });
return errors.map((entry) => entry.error);
