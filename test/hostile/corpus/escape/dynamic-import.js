// import() of host modules, of files and of data. It parses, and finds nothing.
// ends: script_error
const fs = await import("node:fs");
return fs.readFileSync("package.json", "utf8");
