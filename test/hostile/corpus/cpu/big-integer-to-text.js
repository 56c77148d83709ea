// Digits of a number of a million bits, which is quadratic.
// ends: turn_timeout | script_error
// returns: 301030
return (2n ** 1_000_000n).toString().length;
