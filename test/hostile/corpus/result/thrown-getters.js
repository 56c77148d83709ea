// Throws an error whose name, message and stack are getters that call out.
// ends: script_error
const error = new Error("true");
for (const key of ["name", "message", "stack", "cause", "errors"]) {
  Object.defineProperty(error, key, {
    get() {
      agents.run("say from a getter");
      return "forged";
    },
  });
}
throw error;
