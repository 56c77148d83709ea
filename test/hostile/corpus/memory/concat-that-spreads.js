// A spreadable object that claims nine quadrillion entries.
// ends: memory_limit | turn_timeout | script_error
return [].concat({ length: Number.MAX_SAFE_INTEGER - 1, [Symbol.isConcatSpreadable]: true }).length;
