// Notes without end.
// ends: turn_timeout
for (let i = 0; ; i += 1) log(`note ${i}`);
