// A thousand rejections of which all but the last are handled in time.
// ends: unhandled_rejection
// says: number 999
const all = Array.from({ length: 1_000 }, (_, index) => Promise.reject(new Error(`number ${index}`)));
for (const p of all.slice(0, -1)) p.catch(() => {});
await sleep("1h");
