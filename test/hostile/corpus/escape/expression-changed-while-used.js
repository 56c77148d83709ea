// A regular expression that is recompiled by the replacer it calls.
// ends: memory_limit | turn_timeout
// returns: "survived"
const re = /a(b)?/g;
"ab".repeat(1000).replace(re, () => {
  re.compile?.(".*".repeat(50), "g");
  re.lastIndex = 1e9;
  return "";
});
Object.defineProperty(re, "exec", {
  value: () => {
    const match = ["x"];
    match.index = -1e9;
    return match;
  },
});
try {
  "abc".replace(re, "$1$<x>$&".repeat(1000));
} catch {}
return "survived";
