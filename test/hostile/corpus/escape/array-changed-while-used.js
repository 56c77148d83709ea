// Natives whose callbacks shorten the array they work on.
// returns: "survived"
const list = Array.from({ length: 10_000 }, (_, index) => ({ index }));
list.sort((a, b) => {
  list.length = 0;
  return (a?.index ?? 0) - (b?.index ?? 0);
});
const other = Array.from({ length: 1000 }, () => ({}));
other.map((_, index) => {
  if (index === 3) other.length = 0;
  return other[900];
});
const spliced = Array.from({ length: 1000 }, () => []);
Object.defineProperty(spliced, 5, {
  configurable: true,
  get() {
    spliced.length = 1;
    return [];
  },
});
spliced.slice().concat(spliced).flat().splice(0, 10);
JSON.stringify({ list, other: new Proxy([1, 2, 3], { get: (target, key) => (key === "length" ? 2 : target[key]) }) });
return "survived";
