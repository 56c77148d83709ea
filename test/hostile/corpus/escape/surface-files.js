// API.read with paths that lead elsewhere.
// returns: 0
const paths = ["../agents.d.ts", "/etc/passwd", "agents.d.ts/..", "./agents.d.ts", "AGENTS.D.TS", "agents.d.ts\u0000", "__proto__"];
return paths.filter((path) => {
  try {
    return API.read(path) !== undefined;
  } catch {
    return false;
  }
}).length;
