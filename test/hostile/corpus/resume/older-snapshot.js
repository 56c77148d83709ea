// Its newest snapshot is replaced by an older one of its own.
// restarts: 1
// damages: older
// ends: snapshot_damaged | snapshot_foreign
for (let turn = 0; turn < 3; turn += 1) await agents.run(`say ${turn}`);
await agents.run("hold restart one");
return "went on";
