// Ten children at once, each with a schema that costs all the work that one value may cost.
// model: offline:echo
// returns: ["schema_invalid"]
const t = { type: "object", required: ["a", "b"], properties: { a: { $ref: "#/$defs/t" }, b: { $ref: "#/$defs/t" } } };
const schema = { $ref: "#/$defs/t", $defs: { t } };
const ends = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => agents.run(`x ${i}`, { schema })));
return [...new Set(ends.map((end) => end.reason?.code ?? "fits"))];
