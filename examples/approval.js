// Shows:  a plan that a person approves before it is carried out, and an event that another program sends.
//         While the run waits it is rows in a database; a restart of the gateway takes nothing from it.
// Run:    quickswarm submit examples/approval.js        (needs a gateway)
//         quickswarm approvals                          (lists what waits, with its id)
//         quickswarm approve ID --comment "go ahead"
//         quickswarm approve ID --reject                (instead)
//         quickswarm event RUN deployed '{"version":"1.2.0"}'
//         quickswarm run examples/approval.js --args '{"patience":"1s"}'
// Expect: { deployed: true, version, by } when it was approved and deployed, { deployed: false, why } when not;
//         the last command waits a second, nobody answers, and why is "expired".

const patience = args?.patience ?? "1d";

phase("plan");
const plan = await agents.run("Plan the deployment of version 1.2.0 in three steps.", { label: "planner" });

phase("approval");
const answer = await approve("Deploy version 1.2.0?", { plan }, { timeout: patience });
if (!answer.approved) return { deployed: false, why: answer.comment ?? answer.state };

phase("deployment");
await agents.run(`Carry out this plan:\n${plan}`, { label: "operator" });
const deployed = await waitForEvent("deployed", { timeout: "2h" });
return { deployed: true, version: deployed.version, by: answer.by };
