// Exactly as many as may wait.
// returns: 500
// clock: runs
return (await Promise.all(Array.from({ length: 500 }, (_, i) => sleep(i)))).length;
