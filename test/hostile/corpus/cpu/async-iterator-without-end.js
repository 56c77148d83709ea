// for await over values that are there at once.
// ends: turn_timeout
const endless = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 0 }) }) };
for await (const nothing of endless) void nothing;
