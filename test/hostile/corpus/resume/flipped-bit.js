// One bit of its stored snapshot is flipped while the gateway is down.
// restarts: 1
// damages: flip
// ends: snapshot_damaged
await agents.run("hold restart one");
return "went on";
