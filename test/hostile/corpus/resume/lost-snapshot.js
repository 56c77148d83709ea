// Its stored snapshot is gone.
// restarts: 1
// damages: delete
// ends: snapshot_damaged
await agents.run("hold restart one");
return "went on";
