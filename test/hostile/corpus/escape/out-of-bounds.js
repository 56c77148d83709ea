// Typed arrays over buffers that are detached, shrunk and grown while they are read.
// returns: [0,0,0]
const results = [];
const shrinking = new ArrayBuffer(64, { maxByteLength: 128 });
const view = new Uint8Array(shrinking);
view.sort(() => {
  shrinking.resize(0);
  return 0;
});
results.push(view.length);
const moved = new ArrayBuffer(64);
const old = new Uint8Array(moved);
moved.transfer?.(16);
results.push(old.length);
const tracking = new Uint8Array(new ArrayBuffer(8, { maxByteLength: 64 }));
const copy = Array.from(tracking, (_, index) => {
  if (index === 0) tracking.buffer.resize(0);
  return 1;
});
results.push(copy.length > 8 ? 1 : 0);
return results;
