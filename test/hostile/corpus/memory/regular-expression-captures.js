// Match objects with two hundred groups each.
// ends: memory_limit | turn_timeout
const many = new RegExp("(a)".repeat(200));
const all = [];
for (;;) all.push(many.exec("a".repeat(200)));
