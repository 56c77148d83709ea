// A comment that swallows what stands behind the script.
// ends: script_syntax
return 1; /*
