// Functions that read or write the engine's own bytecode.
// returns: []
return ["bjson", "__loadScript", "evalBinary", "Bytecode", "InternalError2"].filter((name) => name in globalThis);
