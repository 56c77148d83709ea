// Views with offsets, lengths and indexes at the edges of 32 and 53 bits.
// returns: []
const buffer = new ArrayBuffer(16);
const leaks = [];
const edges = [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, -1, Number.NaN, 1e300];
for (const edge of edges) {
  for (const read of [
    () => new Uint8Array(buffer)[edge],
    () => new Uint8Array(buffer, edge, 4)[0],
    () => new DataView(buffer, edge).getUint8(0),
    () => new DataView(buffer).getUint32(edge),
    () => new Uint8Array(buffer).at(edge),
    () => new Uint8Array(buffer).subarray(edge)[0],
    () => "".charCodeAt(edge) || undefined,
    () => [1].at(edge) === 1 || undefined,
  ]) {
    try {
      const value = read();
      if (typeof value === "number" && value !== 0) leaks.push([edge, value]);
    } catch (error) {
      if (error.name !== "RangeError" && error.name !== "TypeError") leaks.push([edge, error.name]);
    }
  }
}
new Uint8Array(buffer).fill(7, -(2 ** 40), 2 ** 40).copyWithin(2 ** 33, -(2 ** 33));
return leaks;
