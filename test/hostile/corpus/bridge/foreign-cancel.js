// Cancels the neighbour's child and the neighbour.
// returns: [null,null]
return [await agents.cancel(args.foreign.childId, "mine now"), await agents.cancel(args.foreign.runId)];
