// The same with closures and with promises that hold each other.
// returns: "freed"
let f = () => 0;
for (let i = 0; i < 5_000; i += 1) {
  const g = f;
  f = () => g;
}
f = null;
await agents.run("say something");
return "freed";
