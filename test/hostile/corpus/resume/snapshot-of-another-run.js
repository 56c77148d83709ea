// Its stored snapshot is replaced by its neighbour's, which is sound in itself.
// restarts: 1
// damages: foreign
// ends: snapshot_damaged | snapshot_foreign
await agents.run("hold restart one");
return "went on";
