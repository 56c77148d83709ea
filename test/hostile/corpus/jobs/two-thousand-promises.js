// Many promises are no offence.
// returns: 1999000
const all = await Promise.all(Array.from({ length: 2_000 }, async (_, index) => index));
return all.reduce((sum, n) => sum + n, 0);
