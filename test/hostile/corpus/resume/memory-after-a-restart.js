// Parks nearly full, and asks for more once it was restored.
// restarts: 1
// ends: memory_limit | turn_timeout
const all = [];
for (let i = 0; i < 60; i += 1) all.push(new Uint8Array(100_000));
await agents.run("hold restart one");
for (;;) all.push(new Uint8Array(100_000).fill(1));
