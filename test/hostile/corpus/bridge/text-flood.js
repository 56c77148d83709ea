// Seventy prompts of a megabyte each in one turn.
// ends: output_too_large | memory_limit | too_many_calls | turn_timeout
const text = "p".repeat(1_000_000);
for (let i = 0; i < 70; i += 1) agents.run(text);
await sleep("1h");
