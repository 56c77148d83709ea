// Reverse of an array-like of nine quadrillion entries.
// ends: turn_timeout
return Array.prototype.reverse.call({ length: Number.MAX_SAFE_INTEGER });
