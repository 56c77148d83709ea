// Waits by the clock instead of a sleep.
// ends: turn_timeout
const until = Date.now() + 3_600_000;
while (Date.now() < until);
return "an hour later";
