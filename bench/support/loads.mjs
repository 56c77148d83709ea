// Guest scripts with heaps of four sizes. Each of them, once parked, makes one more call for every
// answer to its last one, for ever: that is a further step.

const STEP = `
let turns = 0;
for (;;) {
  const answer = await agents.run("go on from " + turns, { label: "step" });
  turns += answer.length > 0 ? 1 : 0;
}`;

const AGENT = `
class Topic {
  #notes = [];
  static made = 0;
  constructor(title, weight) { this.title = title; this.weight = weight; Topic.made += 1; }
  note(text, source) { this.#notes.push({ text, source, at: now() }); return this; }
  get size() { return this.#notes.length; }
  *open() { for (const entry of this.#notes) if (!entry.text.startsWith("done")) yield entry; }
}
class Question extends Topic {
  constructor(title, weight, asked) { super(title, weight); this.asked = asked; }
  async ask(index) {
    const text = await agents.run(this.asked + " (" + index + ")", { label: "question " + index });
    return this.note(text, "agent " + index);
  }
}
const topics = new Map();
for (let index = 0; index < 16; index += 1) {
  const topic = new Question("topic " + index, index / 16, "What is known about part " + index + " of the system?");
  topic.note("todo: read what was written about part " + index, "plan").note("done: the outline of it", "plan");
  topics.set(topic.title, topic);
}
const sources = new Set([...topics.keys()].map((title) => "https://example.org/" + title.replace(" ", "-")));
const cursor = topics.get("topic 3").open();
cursor.next();
const scores = Float64Array.from({ length: 64 }, (_, index) => Math.sqrt(index));
const byWeight = [...topics.values()].sort((a, b) => b.weight - a.weight).map((topic) => ({ topic, tries: 0n, seen: new WeakSet([topic]) }));
const rank = (limit) => byWeight.filter(({ topic }) => topic.size >= limit).slice(0, 5);
const asking = Promise.all([...topics.values()].slice(0, 5).map((topic, index) => topic.ask(index)));
phase("asking " + sources.size + " sources, " + rank(1).length + " first, score " + scores[9]);
asking.then(() => cursor.return());
${STEP}`;

const PENDING = `
const all = Promise.all(Array.from({ length: 1000 }, (_, index) => agents.run("child " + index, { label: "child " + index })));
all.then((answers) => answers.length);
${STEP}`;

const ROWS = `
const rows = Array.from({ length: 5000 }, (_, id) => ({
  id, name: "user " + ((id * 7919) % 10007), mail: "u" + id + "@example.org", tags: ["a" + (id % 7), "b" + (id % 13)], score: Math.sqrt(id),
}));
const byMail = new Map(rows.map((entry) => [entry.mail, entry]));
log(byMail.size);
${STEP}`;

export const LOADS = [
  { name: "tiny", what: "tiny", script: STEP },
  { name: "agent", what: "agent-like", script: AGENT },
  { name: "pending", what: "1,000 pending", script: PENDING },
  { name: "rows", what: "5,000 rows and a Map", script: ROWS },
];
