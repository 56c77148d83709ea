// Property names are interned for good.
// ends: memory_limit | turn_timeout
const bag = {};
for (let i = 0; ; i += 1) bag[`name${i}`] = i;
