// A plan that a person approves before it is carried out, and an event that another program sends.
//
// Run: quickswarm run examples/approval.js
//
// It asks and waits, for at most a day. In another terminal:
//
//     quickswarm approvals
//     quickswarm approve ID --comment "go ahead"
//     quickswarm event RUN deployed '{"version":"1.2.0"}'

phase("Plan");
const plan = await agents.run("Plan the deployment of version 1.2.0, in three steps.", { label: "planner" });

phase("Approval");
const answer = await approve("Deploy version 1.2.0?", { plan }, { timeout: "1d" });
if (!answer.approved) return { deployed: false, why: answer.comment ?? answer.state };

phase("Deployment");
await agents.run(`Carry out this plan:\n${plan}`, { label: "operator" });
const deployed = await waitForEvent("deployed", { timeout: "2h" });
return { deployed: true, version: deployed.version, by: answer.by };
