// Its stored snapshot is empty.
// restarts: 1
// damages: empty
// ends: snapshot_damaged
await agents.run("hold restart one");
return "went on";
