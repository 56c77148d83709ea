// A gateway's insides with a model and a tool server, made to be killed: runs one script to its end, or dies at
// the wished occurrence of a failure point. What was begun before goes on. The first argument is its
// configuration; it prints the run's end as JSON.

const config = JSON.parse(process.argv[2]);
const { openRuntime } = await import(new URL("runtime/open.js", config.dist));
const { loadSettings } = await import(new URL("config/load.js", config.dist));
const { submitRequestSchema } = await import(new URL("contract/api.js", config.dist));

const OPERATOR = { sessionKey: "operator", operator: true };
let seen = 0;
function failurePoint(name) {
  if (name !== config.kill?.point) return;
  seen += 1;
  if (seen === config.kill.occurrence) process.kill(process.pid, "SIGKILL");
}

const { settings } = loadSettings({ overrides: { dataDir: config.dataDir } });
const runtime = await openRuntime(settings, { failurePoint });
const request = submitRequestSchema.parse({ script: config.script, idempotencyKey: "the-run" });
const { run } = await runtime.submit(OPERATOR, request);
const { state, result, error } = await runtime.runEnded(OPERATOR, run.runId);
const [child] = (await runtime.children(OPERATOR, { runId: run.runId }, { limit: 10 })).rows;
await runtime.close();
process.stdout.write(JSON.stringify({ state, result, error, child, commits: seen }));
