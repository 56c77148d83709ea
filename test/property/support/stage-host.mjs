// A stage in a process of its own, over the compiled sources, made to be killed. Obeys orders over IPC one
// after the other; `arm` names the failure point at whose n-th occurrence from then on the process dies.

import { openPlanted } from "../../crash/support/plants.mjs";
import { hostSettings } from "../../crash/support/settings.mjs";
import { openStage } from "./stage.mjs";

const { dist, dataDir, now, swarm, plant } = JSON.parse(process.argv[2]);
const real = await import(new URL("runtime/open.js", dist));
const { submitRequestSchema } = await import(new URL("contract/api.js", dist));

let armed;
function failurePoint(name) {
  if (name !== armed?.point) return;
  armed.occurrence -= 1;
  if (armed.occurrence === 0) process.kill(process.pid, "SIGKILL");
}

const onStart = (childId, attempt) => process.send({ childId, attempt });
const settings = hostSettings(dataDir, { swarm });
const openRuntime = plant ? (...parts) => openPlanted({ dist, plant }, ...parts) : real.openRuntime;
const stage = await openStage({ openRuntime, submitRequestSchema, settings, now, failurePoint, onStart });
const orders = {
  ...stage,
  arm(point, occurrence) {
    armed = point === null ? undefined : { point, occurrence };
  },
};

const orphaned = () => process.exit(3);
process.on("disconnect", orphaned);
process.on("message", async ({ id, order, values }) => {
  const answer = { id };
  try {
    answer.value = await orders[order](...values);
  } catch (error) {
    answer.error = error.message;
  }
  if (process.connected) process.send(answer);
  if (order !== "close") return;
  process.off("disconnect", orphaned);
  process.disconnect();
});
process.send({ id: 0 });
