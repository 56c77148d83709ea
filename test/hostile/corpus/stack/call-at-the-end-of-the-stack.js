// Calls the surface from the last frame there is room for, at every depth from there up.
// ends: too_many_calls | turn_timeout
// returns: "intact"
let failures = 0;
const sink = () => {};
const dive = () => {
  try {
    dive();
  } catch (error) {
    if (failures < 40) {
      failures += 1;
      try {
        agents.run("say deep").catch(sink);
      } catch {}
      try {
        log("deep");
      } catch {}
    }
    throw error;
  }
};
try {
  dive();
} catch {}
return failures > 0 && (await agents.run("say intact"));
