// Shows:  that a run survives the death of its gateway with everything it holds: closures, a Map, an async
//         generator in the middle of its loop, a try/finally and a Promise.race. Nothing here knows of crashes.
// Run:    scripts/demo-crash.sh              kills the gateway three times meanwhile
//         quickswarm run examples/crash-demo.js --model offline:slow
// Expect: the same result with and without crashes: each of the 20 agents answered exactly once.

const COUNT = args?.count ?? 20;

const tally = makeTally();
const answers = new Map();
let generatorClosed = false;

phase("start");
// The hour can never win; its timer simply ends with the run.
const first = await Promise.race([
  agents.run("Task 0: say that work can begin.", { label: "task 0" }).then(() => "an agent"),
  sleep("1h").then(() => "the clock"),
]);

phase("work");
const children = Array.from({ length: COUNT }, (_, index) =>
  agents.spawn(`Task ${index + 1}: name one thing that a scheduler must never forget.`, {
    label: `task ${index + 1}`,
  }),
);

for await (const { label, record } of asTheyEnd(children)) {
  tally.add(label);
  answers.set(label, record.status === "done" ? record.result : `no answer: ${record.error}`);
  log(`${label}: ${record.status}, ${answers.size} of ${COUNT}`);
}

// What the tally (a closure) and the Map say, in an order that does not depend on who was first.
const labels = children.map((child) => child.label);
return {
  children: COUNT,
  answeredOnce: labels.filter((label) => tally.of(label) === 1).length,
  answeredMoreThanOnce: labels.filter((label) => tally.of(label) > 1),
  unanswered: labels.filter((label) => tally.of(label) === 0),
  first,
  generatorClosed,
  checksum: checksum(labels.map((label) => answers.get(label)).join("\n")),
};

/** Yields each agent once, as soon as it has ended. */
async function* asTheyEnd(handles) {
  const open = new Map(handles.map((child) => [child.runId, child]));
  try {
    while (open.size > 0) {
      const { completed } = await agents.wait([...open.keys()]);
      for (const record of completed) {
        const child = open.get(record.runId);
        open.delete(record.runId);
        yield { label: child.label, record };
      }
    }
  } finally {
    generatorClosed = true;
  }
}

function makeTally() {
  const counts = new Map();
  return {
    add: (label) => counts.set(label, (counts.get(label) ?? 0) + 1),
    of: (label) => counts.get(label) ?? 0,
  };
}

function checksum(text) {
  let hash = 0;
  for (const char of text) hash = (Math.imul(hash, 31) + char.codePointAt(0)) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
