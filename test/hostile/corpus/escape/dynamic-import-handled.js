// The same, and what the error says of the host.
// returns: []
const said = [];
for (const name of ["node:fs", "fs", "std", "os", "./x.js", "data:text/javascript,1", "file:///etc/passwd"]) {
  try {
    const module = await eval(`import(${JSON.stringify(name)})`);
    said.push(Object.keys(module));
  } catch (error) {
    if (/node_modules|dist|\.wasm|quickswarm/.test(`${error.message} ${error.stack}`)) said.push(error.stack);
  }
}
return said;
