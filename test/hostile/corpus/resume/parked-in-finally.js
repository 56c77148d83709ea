// Parked inside a finally block of an async generator that is being closed.
// restarts: 1
// returns: ["one","kept","left"]
const seen = [];
async function* source() {
  try {
    yield "one";
    yield "two";
  } finally {
    await agents.run("hold restart one");
    seen.push("kept");
  }
}
const it = source();
seen.push((await it.next()).value);
await it.return();
seen.push("left");
return seen;
