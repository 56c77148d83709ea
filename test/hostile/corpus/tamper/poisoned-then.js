// Every object is a thenable that keeps its secret to itself.
// ends: deadlock | script_error
// returns: ["answer","object"]
let looks = 0;
Object.defineProperty(Object.prototype, "then", {
  configurable: true,
  get() {
    looks += 1;
    return looks > 1000 ? undefined : undefined;
  },
});
return [await agents.run("say answer"), typeof (await agents.wait(["agt_none"]))];
