// arguments and new.target of the function that the script is wrapped in.
// ends: script_error | script_syntax
return arguments.length;
