// Five hundred listeners and an abort that aborts again, from inside itself.
// returns: "aborted"
const controller = new AbortController();
for (let i = 0; i < 500; i += 1) {
  controller.signal.addEventListener("abort", () => controller.abort(i));
}
const running = agents.run("hold until aborted", { signal: controller.signal });
controller.abort(new Error("storm"));
try {
  await running;
} catch (error) {
  return error.message === "storm" ? "aborted" : error.message;
}
