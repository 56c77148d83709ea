// Names under which hosts hand out files, processes, sockets and memory.
// returns: []
const names =
  "process require module exports global Buffer Deno Bun std os bjson print console2 load scriptArgs __filename " +
  "__dirname fetch XMLHttpRequest WebSocket Worker SharedWorker importScripts postMessage setTimeout setInterval " +
  "setImmediate clearTimeout WebAssembly Atomics ShadowRealm navigator window document self frames " +
  "structuredClone performance2 crypto Intl2 gc quit exit read readFile evalScript detachArrayBuffer createRealm";
return names.split(" ").filter((name) => typeof globalThis[name] !== "undefined");
