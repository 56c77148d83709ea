// One note of a million characters, and a phase that is too long.
// returns: "noted"
// notes: 3
log("n".repeat(1_000_000));
try {
  phase("p".repeat(1_000_000));
} catch {}
console.error("x".repeat(1_000_000), { a: "y".repeat(1_000_000) });
return "noted";
