// Its stored snapshot loses its second half.
// restarts: 1
// damages: cut
// ends: snapshot_damaged
await agents.run("hold restart one");
return "went on";
