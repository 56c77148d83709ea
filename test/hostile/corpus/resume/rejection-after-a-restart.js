// A promise from before the restart is rejected after it, unheard.
// restarts: 1
// ends: unhandled_rejection
let reject;
const p = new Promise((_, no) => {
  reject = no;
});
await agents.run("hold restart one");
reject(new Error("from before"));
await sleep("1h");
return p;
