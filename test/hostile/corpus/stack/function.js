// Plain recursion, caught; the script sees a RangeError and goes on.
// returns: ["RangeError","still here"]
const f = () => f() + 1;
let name = "";
try {
  f();
} catch (error) {
  name = error.name;
}
return [name, await agents.run("say still here")];
