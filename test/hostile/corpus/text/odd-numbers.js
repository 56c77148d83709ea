// Numbers that JSON does not have.
// returns: [null,null,0,9007199254740993,1e+308,5e-324]
return [Number.NaN, Infinity, -0, 9007199254740993, 1e308, 5e-324];
