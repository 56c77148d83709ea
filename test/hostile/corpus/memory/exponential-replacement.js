// A replacement that inserts the whole text for every match.
// ends: memory_limit | turn_timeout | script_error
let text = "ab";
for (;;) text = text.replace(/[ab]/g, "$&$`$'$&");
