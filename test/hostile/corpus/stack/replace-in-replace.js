// A replacer that replaces.
// ends: script_error | stack_overflow | turn_timeout
const replacer = () => "a".replace(/a/, replacer);
return "a".replace(/a/, replacer);
